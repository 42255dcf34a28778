// Signing in with each provider, linking and unlinking, through the pages of a
// real browser.  Prints {in, complaints}.
//
//   node providers.mjs BASE_URL PICTURES NAME...

import { base, launch, open, pictures, settled, words } from "./browser.mjs";

const titles = { google: "Google", github: "GitHub", microsoft: "Microsoft" };
const complaints = [];
const done = [];

const browser = await launch();
let page;

async function enter(name) {
  page = await open(browser, []);
  await page.goto(`${base}/dashboard/`);
  await page.getByRole("link", { name: `Continue with ${titles[name]}` }).click();
  await page.locator(".shell").waitFor();
  if (page.url() !== `${base}/dashboard/`) {
    throw new Error(`${name} leads to ${page.url()}`);
  }
  done.push(`${name} in`);
}

const row = (name) => page.locator(".card", { hasText: "Sign in with" })
  .locator("li", { hasText: titles[name] });

// the last way in stays; a second one can be linked, then the first is removed
async function link(first, second) {
  await page.goto(`${base}/dashboard/account`);
  await row(first).getByRole("button", { name: "Unlink" }).click();
  await page.getByText("This is your only way to sign in.").waitFor();
  await row(second).getByRole("button", { name: "Link" }).click();
  await page.getByText(`${titles[second]} is linked.`).waitFor();
  await settled(page);
  await page.screenshot({ path: `${pictures}/providers.png`, fullPage: true });
  done.push(`${second} linked`);
  await row(first).getByRole("button", { name: "Unlink" }).click();
  await row(first).getByRole("button", { name: "Link", exact: true }).waitFor();
  done.push(`${first} unlinked`);
}

// a session that ends is renewed by the provider, in a tab beside this one
async function renewed(name) {
  await page.context().clearCookies({ name: "ads_refresh" });
  await page.evaluate(async () => {
    const tabs = new BroadcastChannel("ads-session");
    const got = new Promise((done) => { tabs.onmessage = ({ data }) => done(data.tokens); });
    tabs.postMessage({ kind: "wanted" });
    const { access_token } = await got;
    await fetch("/v1/auth/logout", {
      method: "POST", body: "{}",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${access_token}` },
    });
  });
  await page.getByRole("link", { name: "Members" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("link", { name: `Continue with ${titles[name]}` }).click();
  await dialog.waitFor({ state: "detached" });
  await page.locator("td", { hasText: "cy@shop.example" }).first().waitFor();
  done.push(`${name} again`);
}

async function refused() {
  page = await open(browser, complaints);
  await page.goto(`${base}/dashboard/#error=state_invalid`);
  await page.getByText("That sign-in took too long").waitFor();
  if (await page.evaluate(() => location.hash)) {
    throw new Error("the error is still in the address");
  }
  done.push("refusal said");
}

try {
  for (const name of words) {
    await enter(name);
    if (name === words[0] && words.length > 1) {
      await link(words[0], words[1]);
    }
    if (name === words.at(-1)) {
      await renewed(name);
    }
    await page.context().close();
  }
  await refused();
  console.log(JSON.stringify({ in: done, complaints }));
} catch (error) {
  await page.screenshot({ path: `${pictures}/providers-failed.png`, fullPage: true });
  throw error;
} finally {
  await browser.close();
}
