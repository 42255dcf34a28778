-- GET /v1/products: a part of a title is found whatever its case, in any
-- language and any database: "écran" in "ÉCRAN", "straße" in "STRASSE".  Until
-- now the database's own locale knew the letters, and C knows A to Z only.
--
-- Compared are ICU's large letters: unlike the small ones they do not depend on
-- what stands around (the Greek final sigma), and ß is SS.  What is ASCII does
-- without ICU, which takes ten times as long.  Large letters take up to three
-- times the bytes of a title, and an entry has to fit a third of a page, so
-- titles of more than 600 bytes are those that the other index lists.  Entries
-- are sorted by bytes, so that a new version of ICU, which may sort otherwise,
-- breaks no index.  Locks products while they are made, while no daemon works.
create index products_folded_idx on ads.products (
    account_id, created_at desc, id desc,
    (case when octet_length(title) = length(title) then upper(title collate "C") collate "und-x-icu" else upper(title collate "und-x-icu") end) collate "C"
)
include (title, status, review_status, updated_at)
where octet_length(title) <= 600;
create index products_unfolded_idx on ads.products (account_id, created_at desc, id desc)
where octet_length(title) > 600;
drop index ads.products_titles_idx;
drop index ads.products_long_titles_idx;
