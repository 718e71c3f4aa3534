-- Makes wrk request the lines of a file in turn, and print one line of JSON for run.mjs.
-- wrk ... -s bench/load.lua URL -- TARGETS METHOD [BODY [NAME VALUE] ...]. Each target gets each of the bodies, which U+001E separates.
local requests, at = {}, 0

function init(args)
    local headers = {}
    for i = 4, #args, 2 do headers[args[i]] = args[i + 1] end
    for target in io.lines(args[1]) do
        if args[3] == '' then requests[#requests + 1] = wrk.format(args[2], target, headers) end
        for body in args[3]:gmatch('[^\30]+') do requests[#requests + 1] = wrk.format(args[2], target, headers, body) end
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local e = summary.errors
    print(string.format('{"requests": %d, "seconds": %.6f, "p50": %d, "p99": %d, "errors": %d}', summary.requests,
        summary.duration / 1e6, latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
