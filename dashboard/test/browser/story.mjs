// A stranger's way: signs up, confirms the address by the mail, makes a campaign,
// uploads a feed after a dry run, announces money, starts, previews; a session
// that ends while a form is filled loses nothing, nor does a change made elsewhere;
// at last without a pointer.
// The test settles the money meanwhile.  Prints {complaints, steps, ad}.
//
//   node story.mjs BASE_URL PICTURES MAIL_FOLDER

import { readdirSync, readFileSync } from "node:fs";
import { base, launch, open, password, pictures, settled, words } from "./browser.mjs";

const [mails] = words;
const complaints = [];
const steps = [];
const email = "stranger@shop.example";

const feed = ["id,title,link,price,brand,description,image_link",
  "z-1,Zephyr desk fan quiet,https://zephyr.example/p/1,49.90 USD,Zephyr,A quiet desk fan with three speeds,",
  "z-2,Zephyr tower fan,https://zephyr.example/p/2,89.00 USD,Zephyr,A tower fan with remote control,",
  "z-3,Zephyr ceiling fan,not a link,119.00 USD,Zephyr,Broken row,"].join("\n");

// the code of the newest mail; a mail takes a moment
async function mailed(kind) {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    for (const name of readdirSync(mails)) {
      const text = readFileSync(`${mails}/${name}`, "utf8");
      const code = new RegExp(`/dashboard/#${kind}=([\\w-]+)`).exec(text);
      if (code && text.includes(email)) {
        return code[1];
      }
    }
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`no mail with #${kind}`);
}

async function signUp(page) {
  await page.goto(`${base}/dashboard/sign-up`);
  await page.getByLabel("Company").fill("Zephyr Fans");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.locator(".field-error").waitFor();
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Your first ad in five steps").waitFor();
  steps.push("signed up");
}

async function verify(page) {
  const code = await mailed("verify");
  await page.goto(`${base}/dashboard/#verify=${code}`);
  await page.getByText("Your e-mail address is confirmed.").waitFor();
  if ((await page.evaluate(() => location.href)).includes(code)) {
    throw new Error("the code is still in the address");
  }
  steps.push("confirmed");
}

async function campaign(page) {
  await page.getByRole("link", { name: "New campaign" }).first().click();
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.locator(".field-error").first().waitFor();
  await page.getByLabel("Name").fill("Fans");
  await page.getByLabel("Bid").fill("0,35");
  await page.getByLabel("Daily budget").fill("0.50");
  const before = complaints.length;
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.locator(".field", { hasText: "Daily budget" }).locator(".field-error").waitFor();
  complaints.splice(before); // the API's refusal is a 400 in the console
  await page.getByLabel("Daily budget").fill("25");
  await page.screenshot({ path: `${pictures}/story-campaign.png`, fullPage: true });
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.getByRole("heading", { name: "Fans", level: 1 }).waitFor();
  steps.push("campaign");
}

async function upload(page) {
  await page.getByRole("link", { name: "Upload a feed" }).click();
  await page.getByLabel("Feed file").setInputFiles({
    name: "feed.csv", mimeType: "text/csv", buffer: Buffer.from(feed),
  });
  await page.getByRole("button", { name: "Try it (dry run)" }).click();
  await page.getByText("This is what an import would do.").waitFor();
  await page.getByText("1 row was refused").waitFor();
  await settled(page);
  await page.screenshot({ path: `${pictures}/story-upload.png`, fullPage: true });
  await page.getByRole("button", { name: "Import now" }).last().click();
  await page.getByText("Imported.").waitFor();
  steps.push("imported");
}

async function topup(page) {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("add mon");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "$250.00" }).click();
  await page.getByRole("button", { name: "Announce top-up" }).click();
  await page.getByText("$250.00 is announced.").waitFor();
  await page.locator(".figure", { hasText: "Available" }).getByText("$250.00").waitFor({ timeout: 60_000 });
  steps.push("money");
}

async function begin(page) {
  await page.goto(`${base}/dashboard/campaigns`);
  await page.getByRole("link", { name: "Fans" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".lead .badge", { hasText: "Shown" }).waitFor({ timeout: 60_000 });
  await page.getByLabel("Questions, one a line").fill("buy a quiet desk fan\nwhat is the capital of France?");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator(".ad", { hasText: "Zephyr desk fan quiet" }).waitFor();
  await page.screenshot({ path: `${pictures}/story-preview.png`, fullPage: true });
  steps.push("started");
}

// another tab is signed in with one refresh between them, and a sign-out reaches it
async function tabs(page) {
  const other = await page.context().newPage();
  const refreshes = [];
  other.on("request", (request) => request.url().endsWith("/refresh") && refreshes.push(request.url()));
  await other.goto(`${base}/dashboard/`);
  await other.locator(".shell").waitFor();
  if (refreshes.length) {
    throw new Error("a second tab refreshed though the first had a token");
  }
  const kept = await other.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  if (/eyJ/.test(kept)) {
    throw new Error("a token is in storage");
  }
  await other.close();
  steps.push("tabs");
}

// the session ends while a form is filled: what was typed is saved after all
async function expired(page) {
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByLabel("Name").fill("Fans, quiet ones");
  await page.context().clearCookies();
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
  const before = complaints.length;
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your session has ended.").waitFor();
  await page.screenshot({ path: `${pictures}/story-expired.png` });
  complaints.splice(before); // the refusals that this step is about
  await page.getByRole("dialog").getByLabel("Password").fill(password);
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Fans, quiet ones", level: 1 }).waitFor();
  steps.push("session");
}

// what was changed elsewhere meanwhile is not overwritten, but reviewed; one's own
// changes stay
async function conflict(page) {
  const edit = `${page.url()}/edit`;
  const other = await page.context().newPage();
  await page.goto(edit);
  await other.goto(edit);
  await page.getByLabel("Name").waitFor();
  await other.getByLabel("Name").fill("Fans of another tab");
  await other.getByRole("button", { name: "Save" }).click();
  await other.getByRole("heading", { name: "Fans of another tab", level: 1 }).waitFor();
  await other.close();
  const before = complaints.length;
  await page.getByLabel("Bid").fill("0.40");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("This was changed elsewhere meanwhile.").waitFor();
  complaints.splice(before); // the 412 itself
  await page.screenshot({ path: `${pictures}/story-conflict.png` });
  await page.getByRole("button", { name: "Review the newer version" }).click();
  await page.waitForFunction(() =>
    document.querySelector("input[name=name]").value === "Fans of another tab"
    && document.querySelector("input[name=bid]").value === "0.40");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Fans of another tab", level: 1 }).waitFor();
  steps.push("conflict");
}

// without a pointer: sign in, go somewhere, pause a campaign, undo it
async function keyboard(page) {
  await page.keyboard.press("Tab");
  for (let n = 0; n < 10 && await page.evaluate(() => document.activeElement?.name !== "email"); n++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await page.locator(".shell").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("campaigns");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Campaigns", level: 1 }).waitFor();
  const pause = page.getByRole("button", { name: "Pause", exact: true });
  await pause.waitFor();
  for (let n = 0; n < 60 && !await pause.evaluate((it) => it === document.activeElement); n++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByText("Fans of another tab is paused.").waitFor();
  const undo = page.getByRole("button", { name: "Undo" });
  for (let n = 0; n < 60 && !await undo.evaluate((it) => it === document.activeElement); n++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await pause.waitFor();
  steps.push("keyboard");
}

async function leave(page) {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("Welcome back").waitFor();
  await page.reload();
  await page.getByText("Welcome back").waitFor();
  steps.push("out");
}

const browser = await launch();
const page = await open(browser, complaints);
try {
  await signUp(page);
  complaints.length = 0; // a password that is refused is a 400 in the console
  await verify(page);
  await campaign(page);
  await upload(page);
  await topup(page);
  await begin(page);
  await tabs(page);
  await expired(page);
  await conflict(page);
  await leave(page);
  await keyboard(page);
  console.log(JSON.stringify({ steps, complaints }));
} catch (error) {
  await page.screenshot({ path: `${pictures}/story-failed.png`, fullPage: true });
  console.error(steps.join(), complaints.join("\n"));
  throw error;
} finally {
  await browser.close();
}
