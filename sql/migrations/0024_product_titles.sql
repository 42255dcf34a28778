-- GET /v1/products: an index in the order of the list that knows what the list
-- is filtered by, so that a part of a title that few have is looked for without
-- reading all products of the account.
--
-- lower(title) is what is compared; PostgreSQL asks for the title beside it
-- before it trusts the index alone.  An entry has to fit a third of a page,
-- which two titles of 800 bytes do in any language; longer ones are few, and
-- listed by an index of their own.  Both take the place of one, so that a new
-- product costs what it did.  Locks products while they are made, while no
-- daemon works.
create index products_titles_idx on ads.products (account_id, created_at desc, id desc, lower(title))
include (title, status, review_status, updated_at)
where octet_length(title) <= 800;
create index products_long_titles_idx on ads.products (account_id, created_at desc, id desc)
where octet_length(title) > 800;
drop index ads.products_listed_idx;
