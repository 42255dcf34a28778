-- A campaign's ads by product, with the account in front: the one index of it
-- that is needed, where two were written for each new ad.  An id of a campaign
-- belongs to one account (ads_campaign_fkey), so the key forbids what it did.
-- Locks ads while the index is made, while no daemon works.
alter table ads.ads add constraint ads_campaign_product_account_key unique (account_id, campaign_id, product_id);
alter table ads.ads drop constraint ads_campaign_product_key;
alter table ads.ads rename constraint ads_campaign_product_account_key to ads_campaign_product_key;
drop index ads.ads_campaign_idx;
