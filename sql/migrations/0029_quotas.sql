-- Quotas: how many objects an account may have.
--
-- Only a new table, which locks nothing that is in use.
create table ads.quotas (
    id boolean not null default true,
    campaigns_max int not null default 10000,
    products_max int not null default 5000000,
    members_max int not null default 1000,
    constraint quotas_pkey primary key (id),
    constraint quotas_one_row check (id),
    constraint quotas_positive check (campaigns_max > 0 and products_max > 0 and members_max > 0)
);
comment on table ads.quotas is 'what adsd.conf says that an account may have at most; one row';
insert into ads.quotas default values;
