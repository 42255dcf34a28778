// Campaigns and products: from the API into a form and back, nothing lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./source.mjs";

const { bodyOf, emptyCampaign, unreadable, valuesOf } = await load("advertiser/campaign-form.ts");
const { productBody, productValues, emptyProduct, unreadableProduct } =
  await load("advertiser/product-form.ts");

const campaign = {
  name: "Printers", pricing: "cpc", bid_micros: 220_001,
  budget: { daily_micros: 50_000_000, lifetime_micros: null },
  start_at: "2026-11-01T08:30:00Z", end_at: null, pacing: "asap",
  targeting: { locations: ["US", "DE-BE"], publishers: ["p1"], keywords: ["laser printer"] },
  frequency_cap: { count: 3, window_s: 7200 }, attribution: { click_window_days: 7 },
  external_id: null,
};

test("a campaign comes back as it was, with targeting that the form does not show", () => {
  assert.deepEqual(bodyOf(valuesOf(campaign), campaign.targeting), {
    name: "Printers", pricing: "cpc", bid: 0.220001, budget: { daily: 50, lifetime: null },
    start_at: "2026-11-01T08:30:00Z", end_at: null, pacing: "asap",
    targeting: campaign.targeting, frequency_cap: { count: 3, window_s: 7200 },
    attribution: { click_window_days: 7 }, external_id: null,
  });
});

test("an emptied list is no condition any more", () => {
  const values = { ...valuesOf(campaign), "targeting.keywords": " \n" };
  assert.deepEqual(bodyOf(values, campaign.targeting).targeting,
    { locations: ["US", "DE-BE"], publishers: ["p1"] });
});

test("an empty form says what it needs", () => {
  assert.deepEqual(unreadable(emptyCampaign), ["name", "bid", "budget.daily"]);
  assert.deepEqual(unreadable({ ...emptyCampaign, "name": "x", "bid": "0,25", "budget.lifetime": "10" }), []);
});

test("a product comes back as it was", () => {
  const product = {
    title: "Quillon", url: "https://shop.example/p", price_micros: 189_990_000, currency: "USD",
    sku: "q-1", brand: "Quillon", description: "", image_url: null, category: ["Printers"],
    keywords: [], availability: "in_stock", sale_price_micros: null, gtin: "", language: null,
    ads: [{ campaign_id: "c1" }],
  };
  assert.deepEqual(productBody(productValues(product)), {
    title: "Quillon", url: "https://shop.example/p", price: 189.99, currency: "USD", sku: "q-1",
    brand: "Quillon", description: null, image_url: null, category: ["Printers"], keywords: [],
    availability: "in_stock", sale_price: null, gtin: null, language: null,
  });
  assert.deepEqual(unreadableProduct(emptyProduct("c1", "USD")), ["title", "url", "price"]);
});

test("one's own changes are those that differ from what was loaded", async () => {
  const { changedValues } = await load("base/form.ts");
  assert.deepEqual(changedValues({ name: "a", bid: "1" }, { name: "a", bid: "2" }), { bid: "2" });
});
