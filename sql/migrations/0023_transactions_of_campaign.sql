-- GET /v1/balance/transactions?campaign_id= of an account with many campaigns:
-- without it, the transactions of all are walked through until a page is full.
create index ledger_transactions_campaign_idx on ads.ledger_transactions (campaign_id, at, id)
where campaign_id is not null;
