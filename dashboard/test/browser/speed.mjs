// How long people wait: the first paint and the first full page of a visitor who
// is signed in, then typing, scrolling and going between screens, with thousands
// of products and a year of reports.  Prints one line for each, in milliseconds;
// an interaction ends with the next frame that is painted after it.
//
//   node speed.mjs BASE_URL PICTURES ROUNDS

import { base, launch, open, settled, signIn, words } from "./browser.mjs";

const rounds = Number(words[0] ?? 5);
const results = {};

const keep = (name, ms) => { (results[name] ??= []).push(ms); };
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

// from the event to the frame after it, in the page's own clock
function watch(page) {
  return page.addInitScript(() => {
    window.waits = [];
    for (const kind of ["click", "input", "keydown"]) {
      addEventListener(kind, (event) => {
        const from = event.timeStamp;
        requestAnimationFrame(() => setTimeout(() => {
          window.waits.push(performance.now() - from);
        }));
      }, true);
    }
  });
}

async function worst(page, name, work) {
  await page.evaluate(() => { window.waits = []; });
  await work();
  await page.waitForTimeout(150);
  keep(name, Math.max(...await page.evaluate(() => window.waits)));
}

const browser = await launch();
try {
  const page = await open(browser, []);
  await watch(page);
  await signIn(page, "advertiser");
  for (let n = 0; n < rounds; n++) {
    await page.goto("about:blank");
    const from = Date.now();
    await page.goto(`${base}/dashboard/`);
    await page.locator(".figure-value").first().waitFor();
    keep("overview: first figures", Date.now() - from);
    keep("overview: first paint", await page.evaluate(() =>
      performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await settled(page);
    await worst(page, "go to products", () =>
      page.getByRole("link", { name: "Products", exact: true }).click());
    await page.locator(".long-row").first().waitFor();
    await worst(page, "products: type a search", () =>
      page.getByRole("searchbox").pressSequentially("printer", { delay: 40 }));
    await page.getByRole("searchbox").fill("");
    await page.waitForTimeout(400);
    const frames = await page.evaluate(async () => {
      const box = document.querySelector(".long-table");
      let last = performance.now();
      let slowest = 0;
      for (let at = 0; at < 120; at++) {
        box.scrollTop += 400;
        await new Promise(requestAnimationFrame);
        slowest = Math.max(slowest, performance.now() - last);
        last = performance.now();
      }
      return slowest;
    });
    keep("products: slowest frame of scrolling", frames);
    await worst(page, "go to reports", () =>
      page.getByRole("link", { name: "Reports", exact: true }).click());
    await settled(page);
    await worst(page, "reports: a year", () => page.getByRole("button", { name: "365 days" }).click());
    await settled(page);
    await worst(page, "reports: another figure", () =>
      page.getByRole("button", { name: "Spend", exact: true }).click());
    await worst(page, "the palette", () => page.keyboard.press("Control+k"));
    await page.keyboard.press("Escape");
  }
  for (const [name, list] of Object.entries(results)) {
    console.log(`${name.padEnd(40)} median ${median(list).toFixed(0).padStart(5)} ms, worst ${Math.max(...list).toFixed(0).padStart(5)} ms`);
  }
} finally {
  await browser.close();
}
