// /docs in a real browser: authorises with a key, tries GET /v1/balance and
// POST /v1/ads/recommend, and takes pictures at two widths.  Prints one JSON
// line: {balance: {status, body}, recommend: {status, body}, complaints: [...]}.
//
//   node docs.mjs BASE_URL ADVERTISER_KEY PUBLISHER_KEY PICTURES_FOLDER

import { chromium } from "playwright-core";

const [base, advertiser, publisher, pictures] = process.argv.slice(2);
const complaints = [];

// As root Chromium has no sandbox of its own; it asks nobody but the service.
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync",
    "--disable-background-networking", "--disable-component-update"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(20000);
page.on("console", (message) => {
  if (["error", "warning"].includes(message.type())) {
    complaints.push(`${message.type()}: ${message.text()}`);
  }
});
page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
page.on("request", (request) => {
  if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base)) {
    complaints.push(`asked elsewhere: ${request.url()}`);
  }
});
await page.addInitScript(() => {
  document.addEventListener("securitypolicyviolation", (event) => {
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
  });
});

async function authorize(key) {
  await page.getByRole("button", { name: "Authorize" }).first().click();
  const dialog = page.locator(".modal-ux");
  const scheme = dialog.locator(".auth-container").filter({ hasText: "X-API-Key" });
  const out = scheme.getByRole("button", { name: "Remove authorization" });
  if (await out.count()) {
    await out.click();
  }
  await scheme.locator("input").fill(key);
  await scheme.getByRole("button", { name: "Apply credentials" }).click();
  await scheme.getByRole("button", { name: "Close" }).click();
}

// Opens an operation, executes it as it stands, and reads the live answer.
async function execute(tag, id) {
  const block = page.locator(`#operations-${tag}-${id}`);
  await block.locator(".opblock-summary-control").click();
  await block.getByRole("button", { name: "Execute" }).click();
  const live = block.locator(".live-responses-table .response");
  await live.waitFor();
  const status = await live.locator(".response-col_status").innerText();
  const body = await live.locator(".highlight-code").first().innerText();
  return { status: parseInt(status, 10), body };
}

try {
  await page.goto(`${base}/docs`);
  await page.locator(".opblock").first().waitFor();
  await page.screenshot({ path: `${pictures}/docs-wide.png` });

  await authorize(advertiser);
  const balance = await execute("Advertiser", "getBalance");
  await page.screenshot({ path: `${pictures}/docs-balance.png` });

  await authorize(publisher);
  const recommend = await execute("Publisher", "recommend");
  await page.screenshot({ path: `${pictures}/docs-recommend.png` });

  await page.setViewportSize({ width: 390, height: 844 });
  const wider = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth);
  await page.screenshot({ path: `${pictures}/docs-narrow.png` });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: `${pictures}/docs-narrow-top.png` });
  console.log(JSON.stringify({ balance, recommend, complaints, wider }));
} catch (error) {
  await page.screenshot({ path: `${pictures}/docs-failed.png` });
  console.error(complaints.join("\n"));
  throw error;
} finally {
  await browser.close();
}
