-- What wrk sends, always over one thread, so that no link is used twice:
--
--     wrk -t1 ... -s bench/load.lua URL -- once FILE
--     wrk -t1 ... -s bench/load.lua URL -- loop FILE
--     wrk -t1 ... -s bench/load.lua URL -- post FILE KEY
--
-- once: the lines of FILE are paths, and its end is an error; loop: they are,
-- over and over.  post: they are bodies, over and over.  The last line of the
-- output is for bench/run to read.

local agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 "
    .. "Firefox/128.0"

function init(args)
    local file = assert(io.open(args[2]))

    if args[1] ~= "post" then
        local tail = " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: " .. agent
            .. "\r\nAccept: */*\r\n\r\n"

        next_request = function ()
            local path = file:read("*l")
            if not path then
                assert(args[1] == "loop", "out of links")
                file:seek("set", 0)
                path = file:read("*l")
            end
            return "GET " .. path .. tail
        end
        return
    end

    local requests = {}
    for body in file:lines() do
        requests[#requests + 1] = "POST /v1/ads/recommend HTTP/1.1\r\n"
            .. "Host: localhost\r\nAuthorization: Bearer " .. args[3]
            .. "\r\nContent-Type: application/json\r\nContent-Length: "
            .. #body .. "\r\n\r\n" .. body
    end

    local i = 0
    next_request = function ()
        i = i % #requests + 1
        return requests[i]
    end
end

function request()
    return next_request()
end

function done(summary, latency)
    local e = summary.errors
    io.write(string.format("result %d %d %.0f %.0f %.0f\n", summary.requests,
        e.connect + e.read + e.write + e.status + e.timeout,
        latency:percentile(50), latency:percentile(99), latency.max))
end
