// The main requests to a demo desk, for bench/guard.mjs and bench/versions.mjs, and what both need to count them.

export const CONVERSATIONS = 2000;
export const TIME = Date.UTC(2026, 10, 2, 10); // the first Monday after the demo's two years, in business hours

// glibc chooses its memset and memcpy by the processor. These are the ones that each x86-64 processor has. callgrind counts the bytes of the others,
// because theirs is one instruction that repeats.
export const ONE_MEMSET = { GLIBC_TUNABLES: 'glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM' };

const open = 'SELECT id FROM cases WHERE state = 1 AND status_id IN (2, 3) ORDER BY id DESC';
const cases = 'SELECT id FROM cases WHERE state = 1 ORDER BY id DESC';
const contents = 'It runs again since the second gear was turned. Thank you for the patience.';
const created = { subject: 'The second gear slips', contents };

// [name, caller, method, target, ids for the @ of the target, body]
export const requests = [
    ['GET conversation', 'agent', 'GET', '/conversations/@', cases],
    ['GET conversations', 'agent', 'GET', '/conversations?limit=10'],
    ['GET conversations, TEAMS', 'teams-agent', 'GET', '/conversations?limit=10'],
    ['GET cases', 'agent', 'GET', '/cases?limit=10'],
    ['GET view counts', 'agent', 'GET', '/views/counts'],
    ['GET user', 'agent', 'GET', '/users/@', 'SELECT DISTINCT requester_id FROM cases ORDER BY 1 DESC'],
    ['GET search, rare word', 'agent', 'GET', '/search?query=coloquei'],
    ['POST conversation', 'customer', 'POST', '/conversations', , created],
    ['POST case', 'agent', 'POST', '/cases', , { ...created, requester_id: 20 }],
    ['POST message', 'agent', 'POST', '/conversations/@/messages', open, { contents }],
    ['POST note', 'agent', 'POST', '/cases/@/notes', open, { contents }],
    ['PUT priority', 'agent', 'PUT', '/cases/@', open.replace('=', '= 1 AND priority_id <> 4 AND state ='), { priority_id: 4 }],
    ['PUT status', 'agent', 'PUT', '/cases/@', open.replace('IN (2, 3)', '= 2'), { status_id: 3 }],
];

// Reads a dump of callgrind: of each function its own instructions and those of its calls.
export function readDump(text) {
    const names = new Map(), costs = new Map();
    let at, called = false;
    for (const line of text.split('\n')) {
        const [, id, name] = /^fn=\((\d+)\)(?: (.*))?$/.exec(line) ?? [];
        const [, defined, callee] = /^cfn=\((\d+)\) (.*)$/.exec(line) ?? [];
        if (name) names.set(id, name);
        if (defined) names.set(defined, callee);
        if (id) at = names.get(id);
        const cost = /^[+*\-\d]\S* (\d+)$/.exec(line);
        if (cost) {
            const sum = costs.get(at) ?? costs.set(at, { own: 0, all: 0 }).get(at);
            sum.all += Number(cost[1]);
            if (!called) sum.own += Number(cost[1]);
        }
        called = line.startsWith('calls=');
    }
    return costs;
}
