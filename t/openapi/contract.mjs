// Asks a running server what the description promises: Portman makes requests
// and judgements out of the file, Newman sends and judges.  Reads must succeed
// and fit; each field of each body is left out, too small, too large, too short
// and too long in turn, which must be refused as described.  No answer has a
// status that its operation does not name, is 500, or lacks its request id.
// Prints one JSON line: {requests, checks, idle: [...], failures: [...]}.
//
//   node contract.mjs FILE BASE_URL PUBLISHER_KEY PLATFORM_KEY

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import newman from "newman";

const [file, base, publisher, platform] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const described = JSON.parse(readFileSync(file, "utf8"));

// ---- somebody who has one of everything ---------------------------------------

async function post(path, token, body, type = "application/json") {
  const answer = await fetch(base + path, {
    method: "POST",
    headers: {
      "Content-Type": type,
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
  return answer.json();
}

const password = "a contract is kept";
const owner = await post("/v1/auth/signup", undefined, {
  email: `contract-${Date.now()}@shop.example`, password,
});
const token = owner.access_token;
const campaign = await post("/v1/campaigns", token, {
  name: "Contract", bid: 0.5, budget: { daily: 20 }, status: "active",
});
const product = await post("/v1/products", token, {
  campaign_id: campaign.id, title: "Contract", price: 1, currency: "USD",
  url: "https://shop.example/contract",
});
const feed = await post(`/v1/products/import?campaign_id=${campaign.id}`, token, {
  id: "1", title: "Fed", price: 1, currency: "USD", link: "https://shop.example/fed",
}, "application/x-ndjson");
const key = await post("/v1/auth/api-key", token, { name: "contract" });
const topup = await post("/v1/balance/topup", token, {
  amount: 10, currency: "USD", reference: `contract-${Date.now()}`,
});
const sessions = await (await fetch(`${base}/v1/auth/sessions`, {
  headers: { Authorization: `Bearer ${token}` },
})).json();

const ids = {
  "/v1/campaigns": campaign.id,
  "/v1/products": product.id,
  "/v1/products/import": feed.id,
  "/v1/auth/api-key": key.id,
  "/v1/auth/sessions": sessions.data[0].id,
  "/v1/account/members": owner.user.id,
  "/v1/platform/topups": topup.transaction_id,
};

function credential(path) {
  if (/^\/v1\/(ads|publisher|events|analytics\/publisher)\b/.test(path)) {
    return publisher;
  }
  return path.startsWith("/v1/platform/") ? platform : token;
}

// ---- requests, as Portman makes them ------------------------------------------

// It begins with the first example of a body: let that be the fullest.
const copy = structuredClone(described);
for (const operation of Object.values(copy.paths).flatMap(Object.values)) {
  for (const body of Object.values(operation.requestBody?.content ?? {})) {
    if (body.examples) {
      const length = ([, { value }]) => JSON.stringify(value).length;
      body.examples = Object.fromEntries(Object.entries(body.examples)
        .sort((a, b) => length(b) - length(a)).slice(0, 1));
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "ads-contract-"));
let collection;
try {
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(copy));
  execFileSync(join(here, "node_modules/.bin/portman"), [
    "--local", join(folder, "openapi.json"), "--portmanConfigFile", join(here, "portman.json"),
    "--output", join(folder, "collection.json"), "--baseUrl", base,
  ], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  collection = JSON.parse(readFileSync(join(folder, "collection.json"), "utf8"));
} finally {
  rmSync(folder, { recursive: true });
}

// What each answer must be, whatever was asked.
function always(statuses) {
  return `
    pm.test("a status that is described", () =>
      pm.expect(${JSON.stringify(statuses)}).to.include(pm.response.code));
    pm.test("a request id", () =>
      pm.expect(pm.response.headers.get("X-Request-Id")).to.match(/^[0-9a-f-]{36}$/));
    if (pm.response.code >= 400) {
      pm.test("a problem document", () => {
        pm.expect(pm.response.headers.get("Content-Type"))
          .to.match(/^application.problem.json/);
        pm.expect(pm.response.json().status).to.equal(pm.response.code);
      });
    }`;
}

const whole = new Map();
const idle = [];

// The request with our ids and credential, or nothing where it has no place.
function aimed(item) {
  const { request } = item;
  const path = `/${request.url.path.map((part) =>
    part.startsWith(":") ? `{${part.slice(1)}}` : part).join("/")}`;
  const operation = described.paths[path]?.[request.method.toLowerCase()];
  if (!operation || !path.startsWith("/v1/")) {
    return undefined;
  }

  const refused = item.name.includes("[refused]");
  // no payment provider is configured here, and who changes a password knows it
  if (path === "/v1/platform/topups/webhook") {
    return undefined;
  }
  if (request.body?.raw) {
    request.body.raw = request.body.raw.replace(
      /("current_password": *)"[^"]*"/, `$1"${password}"`);
  }

  // a field that the example does not have was not changed
  const asked = `${request.method} ${path}`;
  const body = /^[[{]/.test(request.body?.raw ?? "")
    ? JSON.stringify(JSON.parse(request.body.raw)) : request.body?.raw;
  if (!refused) {
    whole.set(asked, body);
  } else if (whole.get(asked) === body) {
    idle.push(item.name);
    return undefined;
  }

  // what is ours would end with these, or another's would be needed
  if (!refused && (request.method !== "GET" || /^\/v1\/(click|i)\//.test(path)
      || path.startsWith("/v1/auth/oauth/"))) {
    return undefined;
  }

  const id = Object.entries(ids).find(([prefix]) => path.startsWith(`${prefix}/{`));
  for (const variable of request.url.variable ?? []) {
    variable.value = id?.[1] ?? "google";
  }
  request.url.query = [];
  request.header = (request.header ?? []).filter(({ key: name }) =>
    /^(accept|content-type)$/i.test(name));
  if (operation.security.length > 0) {
    request.header.push({ key: "Authorization", value: `Bearer ${credential(path)}` });
  }
  delete request.auth;

  const statuses = Object.keys(operation.responses).map(Number);
  item.event = [...(item.event ?? []), {
    listen: "test",
    script: { type: "text/javascript", exec: always(statuses).split("\n") },
  }];
  return item;
}

const aimAll = (items) => items.flatMap((item) =>
  item.item ? aimAll(item.item) : aimed(item) ?? []);

collection.item = aimAll(collection.item);
collection.event = [];
delete collection.auth;

// ---- Newman sends and judges ----------------------------------------------------

newman.run({ collection, reporters: [], timeoutRequest: 10000 }, (error, summary) => {
  if (error) {
    throw error;
  }
  const { stats, failures, executions } = summary.run;
  const code = Object.fromEntries(executions.map(({ item, response }) =>
    [item.id, `${response?.code} ${response?.text().slice(0, 300)}`]));
  console.log(JSON.stringify({
    requests: stats.requests.total,
    checks: stats.assertions.total,
    idle,
    failures: failures.map(({ source, error: what }) =>
      `${source?.name}: ${what.test ?? ""} ${what.message.slice(0, 300)} | ${code[source?.id]}`),
  }));
});
