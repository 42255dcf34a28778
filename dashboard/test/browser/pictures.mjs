// The pictures of docs/dashboard/, taken when ADS_PICTURES names a folder for
// them: overview, preview, reports.
//
//   node pictures.mjs BASE_URL PICTURES

import { base, launch, open, pictures, settled, signIn } from "./browser.mjs";

const browser = await launch();
try {
  const page = await open(browser, [], { deviceScaleFactor: 0.75 });
  await signIn(page, "advertiser");
  await page.getByRole("button", { name: "30 days" }).click();
  await settled(page);
  await page.screenshot({ path: `${pictures}/overview.png` });

  await page.goto(`${base}/dashboard/campaigns`);
  await page.getByRole("link", { name: "Printers and ink" }).click();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByLabel("Questions, one a line")
    .fill("which laser printer for a small office?\nwhat is the capital of France?");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator(".ad").first().waitFor();
  await settled(page);
  await page.screenshot({ path: `${pictures}/preview.png` });

  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${base}/dashboard/reports`);
  await settled(page);
  await page.screenshot({ path: `${pictures}/reports.png` });
  console.log("{}");
} finally {
  await browser.close();
}
