-- Orders are unique for each reporter while their click is awaited, and for all
-- once it has come: who named an order first could keep its owner from
-- reporting it.  Replaces one index by two narrower ones; the table is locked
-- for writing while they are built.

drop index ads.conversions_order_key;

create unique index conversions_order_key
    on ads.conversions (click_id, order_id)
    where order_id is not null and adjusts is null and account_id is not null;

create unique index conversions_order_waiting_key
    on ads.conversions (click_id, order_id, actor_account_id)
    where order_id is not null and adjusts is null and account_id is null;

comment on column ads.conversions.adjusts is
    'the first event whose value this one replaces (0 cancels it), or, with reason duplicate, the one it repeats';
