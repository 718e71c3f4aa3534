// node bench/scale.mjs [AGENTS ...]: calculates from bench/costs.tsv what desks of so many agents (default 10, 1,000 and 100,000) need in the busiest
// hour, on both engines, and simulates each of them to check the calculation. docs/SCALE.md explains the table.
//
//   CORES   of the machine or machines of deskd (4)        DATABASE_CORES   of the database (8)
//   SYNC_MS of one flush of the log to the disk (2)
import { readFileSync } from 'node:fs';
import { numbers } from '../tools/numbers.mjs';

const CORES = Number(process.env.CORES ?? 4), DATABASE_CORES = Number(process.env.DATABASE_CORES ?? 8), SYNC_MS = Number(process.env.SYNC_MS ?? 2);
/** A core that is busier than this makes others wait. */
const BUSY_MOST = 0.6;
const sizes = process.argv.slice(2).map(Number);

/** What one agent, and the customers behind one agent, do in the busiest hour: times an hour. */
const HOUR = {
    'open a conversation': 40, 'read its posts': 40, 'read a list of 30': 12, search: 4, 'read the counts of views': 60,
    reply: 14, 'write a note': 3, 'change the priority': 16, 'a customer asks': 8, 'visit the help center': 60,
    // Each change of a conversation is an event for each colleague of the team whose list shows it. The console reads such rows together, at
    // most once in 0.4 s, so a busy team's events share reads.
    'read a changed row': 'events',
};
const TEAM = 20, CHANGES = HOUR.reply + HOUR['write a note'] + HOUR['change the priority'] + HOUR['a customer asks'];
/** A year has 250 days of 8 hours, which have half of the busiest hour's work. */
const YEAR_SECONDS = 250 * 8 * 3600 / 2;
/** One process holds so many connections; an idle one takes so much memory (docs/BENCHMARKS.md, "Realtime"). */
const CONNECTIONS = 12_000, CONNECTION_KIB = 9.6, PROCESS_MIB = 55;
/** Reads of changed rows by one agent in an hour. */
const rereads = (agents) => Math.min(CHANGES * Math.min(agents, TEAM), 3600 / 0.4);

const costs = readFileSync(new URL('costs.tsv', import.meta.url), 'utf8').trim().split('\n').slice(1).map((line) => {
    const [what, engine, kind, ...numbers] = line.split('\t'), [deskd, database, log, growth] = numbers.map(Number);
    return { what, engine, kind, deskd, database, log, growth };
});

/** Requests a second of each kind. */
function rates(engine, agents) {
    const known = costs.filter((one) => one.engine === engine), odd = Object.keys(HOUR).find((what) => !known.some((one) => one.what === what)) ?? known.find(({ what }) => !(what in HOUR))?.what;
    if (odd) throw new Error(`'${odd}' is not in both costs.tsv and HOUR`);
    return known.map((one) => ({ ...one, rate: agents * (HOUR[one.what] === 'events' ? rereads(agents) : HOUR[one.what]) / 3600 }));
}

/** The calculation: sums of rates times costs. */
function calculate(engine, agents) {
    const all = rates(engine, agents), sum = (of) => all.reduce((total, one) => total + one.rate * of(one), 0);
    return { engine, agents, requests: sum(() => 1), writes: sum(({ kind }) => Number(kind === 'write')), deskd: sum(({ deskd }) => deskd) / 1e6, database: sum(({ database }) => database) / 1e6,
        log: sum(({ log }) => log) / 1e6, connections: agents * 1.2, memory: (processes) => processes * PROCESS_MIB + agents * 1.2 * CONNECTION_KIB / 1024, growth: sum(({ growth }) => growth) * YEAR_SECONDS / 1e9 };
}

/* ---- the simulation ------------------------------------------------------------------------------------------ */

/** Cores that serve one after the other. Returns when the work is done. */
class Pool {
    constructor(cores) { this.free = new Float64Array(cores); this.used = 0; }
    serve(now, us) {
        let at = 0;
        for (let i = 1; i < this.free.length; i++) if (this.free[i] < this.free[at]) at = i;
        this.used += us;
        return (this.free[at] = Math.max(now, this.free[at]) + us);
    }
}

/** A disk that flushes what waits for it together, one flush after the other. Arrivals must come in order. */
class Disk {
    constructor(us) { this.us = us; this.ends = 0; this.next = 0; this.flushes = 0; }
    commit(now) {
        if (now >= this.ends && now >= this.next) { this.flushes++; this.ends = now + this.us; return this.ends; }
        if (now >= this.next) { this.flushes++; this.next = this.ends; this.ends = this.next + this.us; }
        return this.ends;
    }
}

/** Requests that come at random, each on its cores, writes also on the one writer of SQLite, and on the disk. Times in ms. */
function simulate(engine, agents, { cores, databaseCores, most = 300_000 }) {
    const all = rates(engine, agents), total = all.reduce((sum, { rate }) => sum + rate, 0), random = numbers(agents);
    const deskd = new Pool(cores), writer = new Pool(1), database = new Pool(databaseCores), disk = new Disk(SYNC_MS * 1000);
    const count = Math.min(most, Math.max(20_000, Math.round(total * 60))), waits = { read: [], write: [] }, commits = [];
    let now = 0;
    for (let n = 0; n < count; n++) {
        now += -Math.log(1 - random()) / total * 1e6;
        let left = random() * total, one = all[0];
        for (const each of all) { one = each; if ((left -= each.rate) < 0) break; }
        let done = deskd.serve(now, one.deskd);
        if (engine === 'PostgreSQL') done = database.serve(done, one.database);
        else if (one.kind === 'write') done = Math.max(done, writer.serve(now, one.deskd));
        if (one.kind === 'write') commits.push([done, now]); else waits.read.push(done - now);
    }
    for (const [at, began] of commits.sort(([a], [b]) => a - b)) waits.write.push(disk.commit(at) - began);
    const p99 = (xs) => xs.sort((a, b) => a - b)[Math.floor(xs.length * 0.99)] / 1000;
    return { deskd: deskd.used / now, database: database.used / now, flushes: disk.flushes / now * 1e6, read: p99(waits.read), write: p99(waits.write) };
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

const head = ['agents', 'engine', 'requests/s', 'writes/s', 'cores of deskd', 'cores of the database', 'simulated', 'processes', 'memory MiB', 'log MB/s', 'flushes/s', 'growth GB/year', 'reads p99 ms', 'writes p99 ms'];
console.log(`| ${head.join(' | ')} |\n|${head.map((_, i) => (i === 1 ? '---' : '--:')).join('|')}|`);
for (const agents of sizes.length ? sizes : [10, 1000, 100_000])
    for (const engine of ['SQLite', 'PostgreSQL']) {
        const m = calculate(engine, agents), enough = (busy, least) => Math.max(least, Math.ceil(busy / BUSY_MOST));
        const s = simulate(engine, agents, { cores: enough(m.deskd, CORES), databaseCores: enough(m.database, DATABASE_CORES) });
        const processes = engine === 'SQLite' ? 1 : Math.max(2, Math.ceil(m.connections / CONNECTIONS)), fits = m.connections <= processes * CONNECTIONS;
        console.log(`| ${[agents.toLocaleString('en-US'), engine, m.requests.toFixed(1), m.writes.toFixed(1), m.deskd.toFixed(3), m.database.toFixed(3), `${s.deskd.toFixed(3)} + ${s.database.toFixed(3)}`, fits ? processes : 'too many connections', m.memory(processes).toFixed(0),
            m.log.toFixed(2), s.flushes.toFixed(0), m.growth.toFixed(1), s.read.toFixed(1), s.write.toFixed(1)].join(' | ')} |`);
        for (const part of ['deskd', 'database'])
            if (Math.abs(s[part] - m[part]) > 0.05 * m[part] + 0.001) throw new Error(`${engine}, ${agents} agents: ${part} is ${m[part]} by the calculation, ${s[part]} by the simulation`);
    }
