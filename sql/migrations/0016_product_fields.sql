-- What products may say beyond the first version: keywords, a sale price and
-- its end, a language; and why a review refused one.
--
-- Columns without a value need no rewrite of the table; the checks read it
-- once under a lock.  The indexes are in the order of the lists.
alter table ads.products
    add column keywords text[] not null default '{}',
    add column sale_price_micros bigint,
    add column price_valid_until timestamptz,
    add column language text,
    add column review_reason text,
    add constraint products_keywords_count check (cardinality(keywords) <= 50),
    add constraint products_keywords_present check (array_position(keywords, null) is null),
    add constraint products_sale_price_range check (sale_price_micros between 0 and 1000000000000000),
    add constraint products_sale_price_lower check (sale_price_micros <= price_micros),
    add constraint products_language_form
        check (language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' and char_length(language) <= 35),
    add constraint products_review_reason_length check (char_length(review_reason) between 1 and 500),
    add constraint products_review_reason_rejected check (review_reason is null or review_status = 'rejected');
comment on column ads.products.sale_price_micros is 'shown instead of the price, until price_valid_until';
comment on column ads.products.review_reason is 'why a review refused it, as the advertiser may read it';
create index products_listed_idx on ads.products (account_id, created_at desc, id desc);
create index products_review_idx on ads.products (created_at desc, id desc) where review_status <> 'approved';
create index products_sale_idx on ads.products (price_valid_until) where sale_price_micros is not null;
