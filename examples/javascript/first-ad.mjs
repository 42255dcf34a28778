// From signing up to the first paid click, with openapi-fetch: paths, fields
// and answers are those of docs/openapi.json, and `npm run check` proves it.
//
// Needs ADS_BASE_URL, ADS_PUBLISHER_KEY (a site that shows ads) and
// ADS_PLATFORM_KEY (who confirms that money came in); .demo/env has all three.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import createClient from "openapi-fetch";

const { ADS_BASE_URL, ADS_PUBLISHER_KEY, ADS_PLATFORM_KEY } = process.env;

/** A client that sends this credential.
 * @param {string} [credential]
 * @returns {import("openapi-fetch").Client<import("./ads.js").paths>} */
function client(credential) {
  const made = createClient({ baseUrl: ADS_BASE_URL });
  made.use({
    onRequest({ request }) {
      if (credential) {
        request.headers.set("Authorization", `Bearer ${credential}`);
      }
      if (request.method === "POST") {
        // the same key again gives the first answer again, never a second effect
        request.headers.set("Idempotency-Key", randomUUID());
      }
    },
  });
  return made;
}

/** The answer's JSON; a problem document ends the program.
 * @template T
 * @param {Promise<{ data?: T, error?: unknown, response: Response }>} asked
 * @returns {Promise<T>} */
async function answer(asked) {
  const { data, error, response } = await asked;
  if (data === undefined) {
    throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  }
  return data;
}

/** What look() finds, as soon as it finds something.
 * @template T
 * @param {string} what
 * @param {() => Promise<T | undefined>} look
 * @returns {Promise<T>} */
async function wait(what, look) {
  for (const until = Date.now() + 30000; Date.now() < until; await sleep(300)) {
    const found = await look();
    if (found !== undefined) {
      return found;
    }
  }
  throw new Error(`waited 30 s for ${what}`);
}

// ---- an account, a campaign, products ---------------------------------------

const run = randomUUID().slice(0, 8);
const account = await answer(client().POST("/v1/auth/signup", {
  body: {
    email: `javascript-${run}@shop.example`,
    password: `long enough ${run}`,
    company: "Kite shop",
  },
}));
console.log("signed up  ", account.user.email);

const shop = client(account.access_token);
const site = client(ADS_PUBLISHER_KEY);
const platform = client(ADS_PLATFORM_KEY);

const campaign = await answer(shop.POST("/v1/campaigns", {
  body: { name: "Kites", bid: 0.5, budget: { daily: 20 }, status: "active" },
}));
console.log("campaign   ", campaign.id, campaign.serving_status);

/** @param {string} name @param {number} price */
const kite = (name, price) => ({
  campaign_id: campaign.id, sku: `${name}-${run}`,
  title: `${name} stunt kite ${run}`, category: "Kites",
  url: `https://shop.example/kites/${name}`, price, currency: "USD",
});

await answer(shop.POST("/v1/products", { body: kite("delta", 39.9) }));
await answer(shop.POST("/v1/products", {
  body: [kite("box", 24.9), kite("foil", 89)],
}));
await answer(shop.POST("/v1/products", {
  headers: { "Content-Type": "application/x-ndjson" },
  body: [kite("sled", 15), kite("bird", 15)].map((row) => JSON.stringify(row)).join("\n"),
  bodySerializer: (lines) => String(lines),
}));
console.log("products    5, one alone, two as an array, two as lines");

// a whole feed, read in the background: here Google Merchant's, as a table
const feed = await answer(shop.POST("/v1/products/import", {
  params: { query: { campaign_id: campaign.id } },
  headers: { "Content-Type": "text/tab-separated-values" },
  body: "id\ttitle\tlink\tprice\n"
    + `roller-${run}\tRoller kite\thttps://shop.example/kites/roller\t49.00 USD\n`,
  bodySerializer: (table) => String(table),
}));
const imported = await wait("the feed", async () => {
  const now = await answer(shop.GET("/v1/products/import/{id}", {
    params: { path: { id: feed.id } },
  }));
  return ["done", "failed"].includes(now.status) ? now : undefined;
});
console.log("feed       ", imported.status);

// ---- money --------------------------------------------------------------------

const topup = await answer(shop.POST("/v1/balance/topup", {
  body: { amount: 50, currency: "USD", reference: `bank-${run}` },
}));
const settled = await answer(platform.POST("/v1/platform/topups/{id}/settle", {
  params: { path: { id: topup.transaction_id } },
}));
console.log("top-up     ", topup.status, "then", settled.status);

// ---- what would be shown, and what is -----------------------------------------

const query = `where can I buy a cheap stunt kite ${run}`;

const preview = await wait("the preview", async () => {
  const { results } = await answer(shop.POST("/v1/campaigns/{id}/preview", {
    params: { path: { id: campaign.id } },
    body: { queries: [query] },
  }));
  return results.find((result) => result.decision === "SHOW");
});
console.log("preview    ", preview.decision, "rank", preview.rank);

const { request_id, ad } = await wait("an ad", async () => {
  const { request_id, ads } = await answer(site.POST("/v1/ads/recommend", {
    body: { query, context: { session_id: `session-${run}` } },
  }));
  const ad = ads.find(({ title }) => title.includes(run));
  return ad && { request_id, ad };
});
console.log("shown      ", `[${ad.disclosure}] ${ad.title},`, ad.price, ad.currency);

// ---- a click and what it led to -----------------------------------------------

await sleep(500); // a click within 200 ms is no person's: it is not billed
// fetch() says that a script asks (Sec-Fetch-Mode), and a click is a navigation
const [click] = await once(get(ad.click_url, {
  headers: { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0" },
}), "response");
click.resume();
const target = new URL(click.headers.location ?? "");
console.log("click      ", target.href);

const sale = await answer(site.POST("/v1/events/conversion", {
  body: {
    request_id, ad_id: ad.ad_id,
    click_id: target.searchParams.get("ads_click_id") ?? "",
    order_id: `order-${run}`, value: ad.price, currency: ad.currency,
  },
}));
console.log("conversion ", "status" in sale ? sale.status : sale.results);

// ---- the account's books --------------------------------------------------------

const balance = await wait("the click to be billed", async () => {
  const now = await answer(shop.GET("/v1/balance"));
  return now.spent_total ? now : undefined;
});
console.log("balance    ", balance.available, "spent", balance.spent_total);

const statement = await answer(shop.GET("/v1/balance/statement"));
console.log("statement  ", statement.month, "from", statement.opening,
  "to", statement.closing);

const { totals } = await wait("the report", async () => {
  const report = await answer(shop.GET("/v1/analytics/advertiser", {
    params: { query: { group_by: "campaign" } },
  }));
  return report.totals.publisher_conversions ? report : undefined;
});
console.log("report      clicks", totals.clicks, "spend", totals.spend,
  "conversions", totals.publisher_conversions);
