// Every screen of each kind of account, in both themes and at two widths, and in
// German: complaints, what axe finds, screens that are wider than the window; a picture
// of each.  Prints one line: {screens, complaints, axe, wider}.
//
//   node screens.mjs BASE_URL PICTURES [PART]      PART: of the names

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { base, launch, open, pictures, settled, signIn, widths, words } from "./browser.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [part = ""] = words;

const common = ["/developers", "/members", "/account", "/none"];
const screens = {
  out: ["/", "/sign-up", "/forgot", "/#reset=abc"],
  advertiser: ["/", "/campaigns", "/campaigns/new", "/campaigns/:id", "/campaigns/:id/edit",
    "/products", "/products/new", "/products/:id", "/products/upload", "/reports",
    "/reports?group=campaign&metric=spend", "/balance", "/balance/topup", ...common],
  publisher: ["/", "/reports", "/rules", "/playground", "/integration", ...common],
  operator: ["/", "/reviews", "/topups", "/accounts", "/audit", ...common],
};

const complaints = [];
const axe = [];
const wider = [];
let count = 0;

async function idOf(page, list) {
  await page.goto(`${base}/dashboard${list}`);
  await settled(page);
  const link = page.locator(`a.strong[href^="/dashboard${list}/"]`).first();
  return (await link.getAttribute("href")).split("/").pop();
}

// the same page under other conditions, without signing in again
async function look(page, who, at, theme, width) {
  await page.setViewportSize(widths[width]);
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(60);
  const name = `${who}${at.replace(/[^a-z-]+/g, "_")}-${theme}-${width}`;
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) {
    wider.push(`${name}: ${over} px`);
  }
  await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
  const found = await page.evaluate(() => window.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }));
  for (const violation of found.violations) {
    for (const node of violation.nodes.slice(0, 3)) {
      axe.push(`${name}: ${violation.id}: ${node.html.slice(0, 140)}: ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? ""}`);
    }
  }
  count++;
}

const browser = await launch();
try {
  for (const [who, list] of Object.entries(screens)) {
    if (!list.some((at) => `${who}${at}`.includes(part))) {
      continue;
    }
    // the policy of the page holds for scripts that it would load, not for a
    // debugger's: axe comes in before it
    const page = await open(browser, complaints);
    await page.addInitScript(axeSource);
    if (who !== "out") {
      await signIn(page, who);
    }
    const ids = who === "advertiser"
      ? { "/campaigns": await idOf(page, "/campaigns"), "/products": await idOf(page, "/products") } : {};
    for (const at of list) {
      if (!`${who}${at}`.includes(part)) {
        continue;
      }
      const list = at.slice(0, at.indexOf("/:"));
      await page.goto("about:blank");
      await page.goto(`${base}/dashboard${at.replace(":id", ids[list] ?? "")}`);
      await settled(page);
      for (const theme of ["light", "dark"]) {
        for (const width of ["wide", "narrow"]) {
          await look(page, who, at, theme, width);
        }
      }
      // German words are longer
      await page.evaluate(() => localStorage.setItem("ads.language", "de"));
      await page.reload();
      await settled(page);
      await look(page, `de-${who}`, at, "light", "narrow");
      await page.evaluate(() => localStorage.removeItem("ads.language"));
    }
    await page.context().close();
  }
  console.log(JSON.stringify({ screens: count, complaints, axe, wider }));
} catch (error) {
  console.error(complaints.join("\n"));
  throw error;
} finally {
  await browser.close();
}
