-- What adsd hands over of a product: a row of this type, in the order of the
-- table of its fields (adsd/catalog/product.c).  Its fields are columns of
-- ads.products.  A new type, and nothing is locked; the function dropped gets
-- an array of it.
drop function if exists ads.products_put;

create type ads.product_in as (
    sku text,
    title text,
    description text,
    brand text,
    gtin text,
    category text[],
    keywords text[],
    url text,
    image_url text,
    price_micros bigint,
    currency text,
    sale_price_micros bigint,
    price_valid_until timestamptz,
    availability text,
    language text,
    attributes jsonb
);
comment on type ads.product_in is 'a product as its advertiser gives it';
