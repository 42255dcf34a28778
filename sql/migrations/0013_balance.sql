-- What an advertiser sees of its money: each ledger transaction knows what it
-- did to the balance and what was left, top-ups can be refused, and money can
-- be given back.
--
-- A balance after each movement could be summed up on reading, but then a page
-- costs as much as all movements after it.  Kept, it costs the bill one number
-- a transaction; the trigger on entries (sql/code/30_ledger.sql) refuses one
-- that does not follow from the entries, and reconcile compares them all.
-- posted_at makes the times of an account's movements rise with their order.
-- Rewrites ledger_transactions once, while no daemon works.
alter table ads.settings
    drop constraint settings_topup_known,
    add constraint settings_topup_known check (topup_settlement in ('manual', 'instant', 'webhook'));

alter table ads.ledger_accounts
    add column posted_at timestamptz not null default '-infinity';
comment on column ads.ledger_accounts.posted_at is 'time of its last movement, so that the next one is not earlier';

alter table ads.ledger_transactions
    add column amount_micros bigint,
    add column balance_after_micros bigint;

alter table ads.ledger_transactions disable trigger user;
update ads.ledger_transactions t
set amount_micros = s.amount,
    balance_after_micros = s.after
from (
    select
        x.id,
        e.amount_micros as amount,
        sum(e.amount_micros) over (partition by x.account_id order by x.id)::bigint as after
    from ads.ledger_transactions x
    join ads.ledger_accounts la on la.kind = 'advertiser_balance' and la.account_id = x.account_id
    join ads.ledger_entries e on e.tx_id = x.id and e.ledger_account_id = la.id
) s
where s.id = t.id;
alter table ads.ledger_transactions enable trigger user;

update ads.ledger_accounts la
set posted_at = s.at
from (
    select t.account_id, max(t.at) as at
    from ads.ledger_transactions t
    group by t.account_id
) s
where s.account_id = la.account_id
    and la.kind = 'advertiser_balance';

alter table ads.ledger_transactions
    alter column amount_micros set not null,
    alter column balance_after_micros set not null,
    add constraint ledger_transactions_amount_sign check (
        case kind when 'topup' then amount_micros > 0 when 'spend' then amount_micros < 0 else amount_micros <> 0 end),
    add constraint ledger_transactions_no_debt check (balance_after_micros >= 0);
comment on column ads.ledger_transactions.amount_micros is 'what it adds to the advertiser''s balance';
comment on column ads.ledger_transactions.balance_after_micros is 'that balance once it was posted; per account in the order of id';

drop index ads.ledger_transactions_account_idx;
create index ledger_transactions_account_idx on ads.ledger_transactions (account_id, at, id);

alter table ads.topups
    add column reversed_micros bigint not null default 0,
    add column rejected_at timestamptz,
    add column reject_reason text,
    drop constraint topups_status_known,
    add constraint topups_status_known check (status in ('pending', 'settled', 'rejected')),
    add constraint topups_rejected_when check (
        (status = 'rejected') = (rejected_at is not null)
        and (status = 'rejected') = (reject_reason is not null)),
    add constraint topups_reject_reason_length check (char_length(reject_reason) between 1 and 500),
    add constraint topups_reversed_range check (
        reversed_micros between 0 and amount_micros
        and (reversed_micros = 0 or status = 'settled'));
comment on column ads.topups.reversed_micros is 'what was taken back of it; ads.reversals has each part';
create index topups_created_idx on ads.topups (created_at, id);

create table ads.reversals (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    topup_id uuid,
    click_id uuid,
    amount_micros bigint not null,
    reason text not null,
    reference text not null,
    ledger_tx bigint not null,
    created_at timestamptz not null default now(),
    constraint reversals_pkey primary key (id),
    constraint reversals_reference_key unique (account_id, reference),
    constraint reversals_click_key unique (click_id),
    constraint reversals_ledger_tx_key unique (ledger_tx),
    constraint reversals_of_one check (num_nonnulls(topup_id, click_id) = 1),
    constraint reversals_amount_range check (amount_micros > 0),
    constraint reversals_reason_length check (char_length(reason) between 1 and 500),
    constraint reversals_reference_length check (char_length(reference) between 1 and 200),
    constraint reversals_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint reversals_topup_fkey foreign key (topup_id) references ads.topups (id),
    constraint reversals_ledger_tx_fkey foreign key (ledger_tx) references ads.ledger_transactions (id)
);
comment on table ads.reversals is
    'money moved back: of a click to the advertiser, of a top-up to whoever paid it; insert-only by revoked rights';
create index reversals_topup_idx on ads.reversals (topup_id);

alter table ads.reversals enable row level security;
alter table ads.reversals force row level security;
create policy reversals_tenant on ads.reversals to ads_api
    using (account_id = (select ads.tenant())) with check (account_id = (select ads.tenant()));
create policy reversals_ops on ads.reversals to ads_ops using (true) with check (true);
create policy reversals_owner on ads.reversals to current_user using (true) with check (true);
