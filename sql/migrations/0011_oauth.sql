-- Signing in with another provider: who somebody is there, and sign-ins that
-- are under way.
--
-- An identity is (issuer, subject) and never an e-mail, which may change hands.
-- A sign-in under way is known by the SHA-256 of its `state`, and bound to one
-- browser by the SHA-256 of a cookie; the PKCE verifier and the nonce are made
-- of both secrets and stored nowhere.  The api role reaches both tables
-- through functions only.  Only new tables: locks nothing that is in use.
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

do $$
declare
    v_table text;
begin
    foreach v_table in array array['oauth_identities', 'oauth_states'] loop
        execute format('alter table ads.%I enable row level security', v_table);
        execute format('alter table ads.%I force row level security', v_table);
        execute format('create policy %I on ads.%I to ads_ops using (true) with check (true)',
            v_table || '_ops', v_table);
        execute format('create policy %I on ads.%I to current_user using (true) with check (true)',
            v_table || '_owner', v_table);
    end loop;
end
$$;
