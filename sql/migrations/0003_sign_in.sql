-- Signing in: sessions and their refresh tokens, codes and mails, invitations,
-- failures, and sign-in with another provider.
--
-- No row here is a secret that could be used: a refresh token is kept as its
-- BLAKE2b-256, and the code in a mail is a MAC over the row's id under a key
-- that only adsd has, so it is stored nowhere and a mail that waits is written
-- anew from its row.
--
-- A person at another provider is (issuer, subject) and never an e-mail, which
-- may change hands.  A sign-in under way is known by the SHA-256 of its `state`,
-- and bound to one browser by the SHA-256 of a cookie; the PKCE verifier and the
-- nonce are made of both secrets and stored nowhere.
--
-- The api role reaches these tables through functions only, but for
-- invitations, which are a tenant's.

create table ads.sessions (
    id uuid not null default gen_random_uuid(),
    user_id uuid not null,
    account_id uuid not null,
    method text not null default 'password',
    user_agent text not null default '',
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    constraint sessions_pkey primary key (id),
    constraint sessions_user_key unique (user_id, id),
    constraint sessions_method_form check (method ~ '^[a-z][a-z0-9_]{0,31}$'),
    constraint sessions_user_agent_length check (char_length(user_agent) <= 256),
    constraint sessions_expires_later check (expires_at > created_at),
    constraint sessions_member_fkey foreign key (account_id, user_id)
        references ads.members (account_id, user_id) on delete cascade
);
comment on table ads.sessions is 'people who are signed in, each until revoked_at or expires_at';
comment on column ads.sessions.account_id is 'the account it acts for when a request names none';
create index sessions_member_idx on ads.sessions (account_id, user_id);
create index sessions_expires_idx on ads.sessions (expires_at);

create table ads.refresh_tokens (
    hash bytea not null,
    user_id uuid not null,
    session_id uuid not null,
    created_at timestamptz not null default now(),
    used_at timestamptz,
    constraint refresh_tokens_pkey primary key (hash),
    constraint refresh_tokens_hash_length check (octet_length(hash) = 32),
    constraint refresh_tokens_session_fkey foreign key (user_id, session_id)
        references ads.sessions (user_id, id) on delete cascade
);
comment on table ads.refresh_tokens is 'the family of a session: one is unused, using a used one ends the session';
create index refresh_tokens_session_idx on ads.refresh_tokens (user_id, session_id);
create unique index refresh_tokens_unused_key on ads.refresh_tokens (session_id) where used_at is null;

create table ads.login_failures (
    mail_mac bytea not null,
    from_mac bytea not null,
    n int not null default 1,
    last_at timestamptz not null default now(),
    constraint login_failures_pkey primary key (mail_mac, from_mac),
    constraint login_failures_mac_length check (octet_length(mail_mac) = 32 and octet_length(from_mac) = 32),
    constraint login_failures_n_range check (n >= 1)
);
comment on table ads.login_failures is 'wrong passwords for an e-mail from one client address, whether anybody has it or not';
comment on column ads.login_failures.mail_mac is 'MAC of the e-mail: what was typed may have been a password';
comment on column ads.login_failures.from_mac is 'MAC of the client''s address, of IPv6 its /64';

create table ads.login_totals (
    mail_mac bytea not null,
    over_at timestamptz not null,
    constraint login_totals_pkey primary key (mail_mac),
    constraint login_totals_mac_length check (octet_length(mail_mac) = 32)
);
comment on table ads.login_totals is 'wrong passwords for an e-mail from all addresses together';
comment on column ads.login_totals.over_at is 'when all are forgotten, 15 minutes for each';

create table ads.mail_codes (
    id uuid not null default gen_random_uuid(),
    purpose text not null,
    user_id uuid not null,
    email text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    constraint mail_codes_pkey primary key (id),
    constraint mail_codes_purpose_known check (purpose in ('verify', 'reset', 'login', 'email_change')),
    constraint mail_codes_email_length check (char_length(email) between 3 and 320),
    constraint mail_codes_expires_later check (expires_at > created_at),
    constraint mail_codes_user_fkey foreign key (user_id) references ads.users (id) on delete cascade
);
comment on table ads.mail_codes is 'one-time codes sent by mail; the code itself is a MAC over id';
comment on column ads.mail_codes.email is 'where it was sent, which its use proves';
create index mail_codes_user_idx on ads.mail_codes (user_id, purpose);
create index mail_codes_expires_idx on ads.mail_codes (expires_at);

create table ads.invitations (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null,
    email text not null,
    role text not null,
    invited_by uuid,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null default now() + interval '7 days',
    constraint invitations_pkey primary key (id),
    constraint invitations_role_known check (role in ('owner', 'editor', 'viewer')),
    constraint invitations_email_length check (char_length(email) between 3 and 320),
    constraint invitations_email_form check (email ~ '^[^[:space:]@]+@[^[:space:]@]+$'),
    constraint invitations_expires_later check (expires_at > created_at),
    constraint invitations_account_fkey foreign key (account_id) references ads.accounts (id),
    constraint invitations_inviter_fkey foreign key (invited_by) references ads.users (id)
);
comment on table ads.invitations is 'people asked to join an account; gone once they have, or are not wanted';
create unique index invitations_email_key on ads.invitations (account_id, lower(email));
create index invitations_inviter_idx on ads.invitations (invited_by);

create table ads.mails (
    id uuid not null default gen_random_uuid(),
    kind text not null,
    email text not null,
    user_id uuid,
    account_id uuid,
    created_at timestamptz not null default now(),
    next_at timestamptz not null default now(),
    tries int not null default 0,
    constraint mails_pkey primary key (id),
    constraint mails_kind_form check (kind ~ '^[a-z][a-z_]{0,31}$'),
    constraint mails_email_length check (char_length(email) between 3 and 320),
    constraint mails_tries_range check (tries >= 0),
    constraint mails_user_fkey foreign key (user_id) references ads.users (id) on delete cascade,
    constraint mails_account_fkey foreign key (account_id) references ads.accounts (id)
);
comment on table ads.mails is 'mails that wait to be sent; a row goes once its mail is out';
comment on column ads.mails.id is 'of a mail with a code, also the id of the code or invitation';
create index mails_next_idx on ads.mails (next_at);
create index mails_user_idx on ads.mails (user_id);
create index mails_account_idx on ads.mails (account_id);

create table ads.oauth_identities (
    id uuid not null default gen_random_uuid(),
    user_id uuid not null,
    provider text not null,
    issuer text not null,
    subject text not null,
    email text,
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    constraint oauth_identities_pkey primary key (id),
    constraint oauth_identities_subject_key unique (issuer, subject),
    constraint oauth_identities_provider_key unique (user_id, provider),
    constraint oauth_identities_provider_known check (provider in ('google', 'github', 'microsoft')),
    constraint oauth_identities_issuer_length check (char_length(issuer) between 1 and 512),
    constraint oauth_identities_subject_length check (octet_length(subject) between 1 and 255),
    constraint oauth_identities_email_length check (char_length(email) between 3 and 320),
    constraint oauth_identities_user_fkey foreign key (user_id) references ads.users (id) on delete cascade
);
comment on table ads.oauth_identities is 'who a person is at another provider; at most one identity of each';
comment on column ads.oauth_identities.email is 'what the provider said when it was linked, for the person to recognise';

create table ads.oauth_states (
    hash bytea not null,
    browser_hash bytea not null,
    provider text not null,
    user_id uuid,
    session_id uuid,
    expires_at timestamptz not null default now() + interval '10 minutes',
    constraint oauth_states_pkey primary key (hash),
    constraint oauth_states_hash_length check (octet_length(hash) = 32),
    constraint oauth_states_browser_length check (octet_length(browser_hash) = 32),
    constraint oauth_states_provider_known check (provider in ('google', 'github', 'microsoft')),
    constraint oauth_states_link_whole check ((user_id is null) = (session_id is null)),
    constraint oauth_states_session_fkey foreign key (user_id, session_id)
        references ads.sessions (user_id, id) on delete cascade
);
comment on table ads.oauth_states is 'sign-ins under way, each good once';
comment on column ads.oauth_states.user_id is 'who links another provider, from which session; null: somebody signs in';
create index oauth_states_expires_idx on ads.oauth_states (expires_at);
create index oauth_states_session_idx on ads.oauth_states (user_id, session_id);
