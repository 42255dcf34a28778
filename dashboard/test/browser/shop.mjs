// The demo's shop in a browser: ads that a page includes and that a chat loads, in
// both themes, wide and narrow; when an ad is reported as seen, how far things move.
// Prints what t/http/dashboard/shop.t compares.
//
//   node shop.mjs BASE_URL PICTURES

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { base, launch, open, pictures, widths } from "./browser.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">
  <rect x="1" y="2" width="6" height="4" fill="#7a8699"/></svg>`;
const pictureHost = "https://img.example/";

const complaints = [];
const axe = [];
const wider = [];
const beacons = [];

async function look(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of Object.keys(widths)) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize(widths[width]);
      const id = `shop-${name}-${colorScheme}-${width}`;
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) {
        wider.push(`${id}: ${over} px`);
      }
      await page.screenshot({ path: `${pictures}/${id}.png`, fullPage: true });
      const found = await page.evaluate(() => window.axe.run(document));
      axe.push(...found.violations.map((violation) =>
        `${id}: ${violation.id}: ${violation.nodes[0].html.slice(0, 140)}`));
    }
  }
}

// until as many ads were reported as there are cards; how many were
async function reported(page, least) {
  for (const end = Date.now() + 10_000; beacons.length < least && Date.now() < end;) {
    await page.waitForTimeout(50);
  }
  return beacons.length;
}

const browser = await launch();
try {
  const page = await open(browser, complaints, {
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
  });
  await page.route(`${pictureHost}**`, (route) =>
    route.fulfill({ contentType: "image/svg+xml", body: picture }));
  page.on("request", (request) => {
    if (request.url().includes("/v1/i/")) {
      beacons.push(request.url());
    }
  });
  await page.addInitScript(axeSource);
  await page.addInitScript(() => {
    window.moved = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
      window.moved += entry.hadRecentInput ? 0 : entry.value;
    })).observe({ type: "layout-shift", buffered: true });
  });

  // a page that includes ads, so low a window that none is in view
  await page.setViewportSize({ width: 1280, height: 160 });
  await page.goto(`${base}/shop/?q=buy+a+laser+printer+or+ink`);
  const cards = await page.locator(".ads-card").count();
  const words = await page.getByLabel("Search for things to buy").inputValue();
  await page.waitForTimeout(1300);
  const early = beacons.length;
  const moved = [await page.evaluate(() => window.moved)];
  await page.locator(".ads").scrollIntoViewIfNeeded();
  await page.setViewportSize(widths.wide);
  const seen = await reported(page, cards);
  await page.evaluate(() => document.body.style.setProperty("padding-top", "200vh"));
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator(".ads-card").last().scrollIntoViewIfNeeded();
  await page.waitForTimeout(1300);
  const again = beacons.length - seen;
  await page.evaluate(() => document.body.style.removeProperty("padding-top"));
  await look(page, "search");

  // the keyboard alone comes to an ad
  await page.getByRole("button", { name: "Search" }).focus();
  await page.keyboard.press("Tab");
  const focused = await page.evaluate(() => document.activeElement.closest(".ads-card") !== null);

  // a chat loads them
  await page.setViewportSize(widths.wide);
  await page.goto(`${base}/shop/chat.html`);
  const before = beacons.length;
  await page.getByLabel("Your question").fill("Which espresso machine should I buy?");
  await page.keyboard.press("Enter");
  await page.locator(".ads-card").first().waitFor();
  const chat = await reported(page, before + 1) - before;
  moved.push(await page.evaluate(() => window.moved));
  await look(page, "chat");

  console.log(JSON.stringify({
    complaints: complaints.filter((line) => !line.includes(pictureHost)),
    axe, wider, cards, early, seen, again, chat, moved, words, focused,
  }));
} catch (error) {
  console.error(complaints.join("\n"));
  throw error;
} finally {
  await browser.close();
}
