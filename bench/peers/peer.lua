-- What a careful OpenResty handler does for the same answers.
--
-- recommend reads the body with cjson, looks three things up in the shared
-- dictionary (the key, the ads for the query, the allowance) and builds the
-- answer from tables that it keeps.  It is let off everything else: its tokens
-- and ids are constants, it scores no intent, matches and ranks nothing, and
-- journals nothing.
--
-- click decodes the link, looks its destination up, counts up an id and keeps a
-- line of the click, 64 of which are written at once.  It is let off every
-- check: of the link, of a second use, of who clicks.  redirect is let off all.

local cjson = require("cjson.safe")
local peer = {}

local token = string.rep("A", 200)
local ads = {}

for i = 1, 3 do
    ads[i] = {
        ad_id = "01234567-89ab-4def-8123-456789abcde" .. i,
        title = "Quillon laser printer " .. i,
        price = 189, price_micros = 189000000, currency = "USD",
        description = "Compact mono laser printer with duplex and wireless "
            .. "network",
        brand = "Quillon", advertiser = "Shop " .. i, sponsored = true,
        disclosure = "Sponsored", position = i,
        expires_at = "2030-01-01T00:00:00Z",
        click_url = "http://127.0.0.1:8080/v1/click/" .. token,
    }
end

local clicks, n_clicks, lines = nil, 0, {}
local base64 = { ["-"] = "+", ["_"] = "/" }

function peer.seed(file)
    clicks = assert(io.open(file, "a"))
    ngx.shared.ads:set("destination",
        "https://shop.example/p/1?from=ads&ads_click_id=")
    ngx.shared.ads:set("key", "01234567-89ab-4def-8123-456789abcdef")
    ngx.shared.ads:set("query", 3)
    ngx.shared.ads:set("allowance", 1000000)
end

function peer.recommend()
    ngx.req.read_body()
    local body = cjson.decode(ngx.req.get_body_data())
    local shared = ngx.shared.ads

    if not body or type(body.query) ~= "string" then
        return ngx.exit(400)
    end
    if not ngx.req.get_headers()["authorization"] or not shared:get("key") then
        return ngx.exit(401)
    end

    local n = math.min(shared:get("query"), body.max_results or 3)
    local answer = {
        request_id = "01234567-89ab-4def-8123-456789abcdef",
        decision = "NO_AD",
        ads = {},
    }
    if shared:get("allowance") > 0 then
        answer.decision = "SHOW"
        for i = 1, n do
            answer.ads[i] = ads[i]
        end
    end

    ngx.header["Content-Type"] = "application/json"
    ngx.header["Cache-Control"] = "no-store"
    ngx.header["X-Request-Id"] = answer.request_id
    ngx.print(cjson.encode(answer))
end

function peer.click()
    local token = ngx.var.uri:sub(#"/v1/click/" + 1)
    local bytes = ngx.decode_base64((token:gsub("[-_]", base64)))

    if not bytes or #bytes < 100 then
        return ngx.exit(404)
    end
    n_clicks = n_clicks + 1

    local id = string.format("01234567-89ab-8def-8123-%012x", n_clicks)
    local destination = ngx.shared.ads:get("destination")

    lines[#lines + 1] = table.concat({ id, ngx.now(), ngx.var.remote_addr,
        ngx.var.http_user_agent, token, "\n" }, "\t")
    if #lines == 64 then
        clicks:write(table.concat(lines))
        clicks:flush()
        lines = {}
    end
    ngx.redirect(destination .. id .. "#top", 302)
end

function peer.redirect()
    ngx.redirect("https://shop.example/p/1?from=ads&ads_click_id="
        .. "01234567-89ab-8def-8123-456789abcdef#top", 302)
end

return peer
