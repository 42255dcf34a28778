// What the scripts in this folder share: Chromium, a page that writes down each
// complaint, signing in.

import { chromium } from "playwright-core";

export const [base, pictures, ...words] = process.argv.slice(2);
export const password = process.env.ADS_PASSWORD;
export const widths = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 844 } };

// As root Chromium has no sandbox of its own; it asks nobody but the service.
export function launch() {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync",
      "--disable-background-networking", "--disable-component-update"],
  });
}

// A page; console errors, breaches of the policy and requests to others are
// pushed to `complaints`.
export async function open(browser, complaints, options = {}) {
  const context = await browser.newContext({
    viewport: widths.wide, locale: "en-US", reducedMotion: "reduce", ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(`${new URL(page.url()).pathname}: ${message.text()} ${message.location().url}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.stack}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base)) {
      complaints.push(`asked elsewhere: ${request.url()}`);
    }
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  return page;
}

export async function signIn(page, name) {
  await page.goto(`${base}/dashboard/`);
  await page.getByLabel("E-mail").fill(`${name}@test.example`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".shell").waitFor();
}

// Until nothing is loading any more.
export async function settled(page) {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".loading"));
  await page.waitForLoadState("networkidle").catch(() => undefined);
}
