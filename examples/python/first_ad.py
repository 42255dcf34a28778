#!/usr/bin/env python3
"""From signing up to the first paid click, with Python's standard library.

Needs ADS_BASE_URL, ADS_PUBLISHER_KEY (a site that shows ads) and
ADS_PLATFORM_KEY (who confirms that money came in); .demo/env has all three.
"""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

BASE = os.environ["ADS_BASE_URL"]
PUBLISHER = os.environ["ADS_PUBLISHER_KEY"]
PLATFORM = os.environ["ADS_PLATFORM_KEY"]


class Ad(TypedDict):
    """What a page needs of an ad; docs/openapi.json has all fields."""

    ad_id: str
    title: str
    price: float
    currency: str
    disclosure: str
    click_url: str


class Recommendation(TypedDict):
    """The answer of POST /v1/ads/recommend; no ads when decision is NO_AD."""

    request_id: str
    decision: str
    ads: list[Ad]


Found = TypeVar("Found")


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer to read, not one to follow."""

    def redirect_request(self, *args):
        return None


OPENER = urllib.request.build_opener(KeepRedirects)


def call(method: str, path: str, credential: str | None = None,
         body: Any = None, **headers: str) -> Any:
    """One request; the answer's JSON.  A problem document ends the program."""
    data = None
    if body is not None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    if credential:
        headers["Authorization"] = "Bearer " + credential
    if method == "POST":
        # the same key again gives the first answer again, never a second effect
        headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
    request = urllib.request.Request(BASE + path, data, headers, method=method)
    try:
        with OPENER.open(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{method} {path}: {error.code}\n{error.read().decode()}")


def follow(link: str) -> str:
    """Where the link under an ad leads, as a visitor's browser sees it."""
    visitor = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0"}
    try:
        OPENER.open(urllib.request.Request(link, headers=visitor), timeout=10)
    except urllib.error.HTTPError as error:
        if error.code == 302:
            return error.headers["Location"]
        raise
    raise SystemExit("no redirect")


def wait(what: str, look: Callable[[], Found | None]) -> Found:
    """What look() finds, as soon as it finds something."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        found = look()
        if found:
            return found
        time.sleep(0.3)
    raise SystemExit(f"waited 30 s for {what}")


# ---- an account, a campaign, products ----------------------------------------

run = uuid.uuid4().hex[:8]
account = call("POST", "/v1/auth/signup", body={
    "email": f"python-{run}@shop.example",
    "password": f"long enough {run}",
    "company": "Kite shop",
})
token = account["access_token"]
print("signed up  ", account["user"]["email"])

campaign = call("POST", "/v1/campaigns", token, {
    "name": "Kites", "bid": 0.5, "budget": {"daily": 20}, "status": "active",
})
print("campaign   ", campaign["id"], campaign["serving_status"])


def kite(name: str, price: float) -> dict[str, Any]:
    return {
        "campaign_id": campaign["id"], "sku": f"{name}-{run}",
        "title": f"{name.capitalize()} stunt kite {run}", "category": "Kites",
        "url": f"https://shop.example/kites/{name}", "price": price,
        "currency": "USD",
    }


single = call("POST", "/v1/products", token, kite("delta", 39.9))
several = call("POST", "/v1/products", token, [kite("box", 24.9), kite("foil", 89)])
lines = "".join(json.dumps(kite(name, 15)) + "\n" for name in ("sled", "bird"))
streamed = call("POST", "/v1/products", token, lines,
                **{"Content-Type": "application/x-ndjson"})
print("products   ", 1 + len(several["results"]) + len(streamed["results"]))

# a whole feed, read in the background: here Google Merchant's, as a table
feed = call("POST", f"/v1/products/import?campaign_id={campaign['id']}", token,
            "id\ttitle\tlink\tprice\n"
            f"roller-{run}\tRoller kite\thttps://shop.example/kites/roller\t49.00 USD\n",
            **{"Content-Type": "text/tab-separated-values"})
imported = wait("the feed", lambda: next(
    (now for now in [call("GET", f"/v1/products/import/{feed['id']}", token)]
     if now["status"] in ("done", "failed")), None))
print("feed       ", imported["status"])

# ---- money -------------------------------------------------------------------

topup = call("POST", "/v1/balance/topup", token, {
    "amount": 50, "currency": "USD", "reference": f"bank-{run}",
})
settled = call("POST", f"/v1/platform/topups/{topup['transaction_id']}/settle",
               PLATFORM)
print("top-up     ", topup["status"], "then", settled["status"])

# ---- what would be shown, and what is ----------------------------------------

query = f"where can I buy a cheap stunt kite {run}"
preview = wait("the preview", lambda: next(
    (result for result in call(
        "POST", f"/v1/campaigns/{campaign['id']}/preview", token,
        {"queries": [query]})["results"] if result["decision"] == "SHOW"), None))
print("preview    ", preview["decision"], "rank", preview["rank"])


def ask() -> tuple[str, Ad] | None:
    answer: Recommendation = call("POST", "/v1/ads/recommend", PUBLISHER, {
        "query": query, "context": {"session_id": f"session-{run}"},
    })
    ours = [ad for ad in answer["ads"] if run in ad["title"]]
    return (answer["request_id"], ours[0]) if ours else None


request_id, ad = wait("an ad", ask)
print("shown      ", f"[{ad['disclosure']}] {ad['title']},", ad["price"], ad["currency"])

# ---- a click and what it led to ----------------------------------------------

time.sleep(0.5)  # a click within 200 ms is no person's: it is not billed
target = follow(ad["click_url"])
click_id = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)["ads_click_id"][0]
print("click      ", target)

sale = call("POST", "/v1/events/conversion", PUBLISHER, {
    "request_id": request_id, "ad_id": ad["ad_id"], "click_id": click_id,
    "value": ad["price"], "currency": ad["currency"], "order_id": f"order-{run}",
})
print("conversion ", sale["status"])

# ---- the account's books -----------------------------------------------------

balance = wait("the click to be billed", lambda: next(
    (now for now in [call("GET", "/v1/balance", token)]
     if now["spent_total_micros"]), None))
print("balance    ", balance["available"], "spent", balance["spent_total"])

statement = call("GET", "/v1/balance/statement", token)
print("statement  ", statement["month"], "from", statement["opening"],
      "to", statement["closing"])

report = wait("the report", lambda: next(
    (now for now in [call("GET", "/v1/analytics/advertiser?group_by=campaign", token)]
     if now["totals"]["clicks"] and now["totals"]["publisher_conversions"]), None))
print("report     ", {name: report["totals"][name]
                      for name in ("clicks", "spend", "publisher_conversions")})
