// Loads a trace with the parser of Chrome DevTools (@paulirish/trace_engine) and prints what it found, as JSON with
// sorted keys: slices per "process / thread", and arrows whose two ends it bound to slices.
//
//   node load.mjs TRACE            what the parser found
//   node load.mjs --raw TRACE      the same, counted from the file's lines without the parser
//
// The parser binds an arrow's end only to a slice of the same category that begins at that very instant, and loses an
// arrow whose ends lie at one instant. Ours join categories (compute to collective), as Perfetto allows; so the parser
// is given one category for all, and --raw leaves out the arrows that it cannot see for the other two reasons.
import fs from 'node:fs';
import zlib from 'node:zlib';

const raw = process.argv[2] === '--raw';
const path = process.argv[raw ? 3 : 2];
if (!path) {
  console.error('usage: node load.mjs [--raw] TRACE');
  process.exit(2);
}

function readEvents(file) {
  const bytes = fs.readFileSync(file);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return JSON.parse(zipped ? zlib.gunzipSync(bytes) : bytes).traceEvents;
}

function namesOf(events) {
  const names = {process: new Map(), thread: new Map()};
  for (const e of events) {
    if (e.name === 'process_name') names.process.set(e.pid, e.args.name);
    if (e.name === 'thread_name') names.thread.set(`${e.pid} ${e.tid}`, e.args.name);
  }
  return (pid, tid) => `${names.process.get(pid)} / ${names.thread.get(`${pid} ${tid}`)}`;
}

function countRaw(events) {
  const name = namesOf(events);
  const slices = {};
  const begins = new Set();
  const starts = new Map();
  let flows = 0;
  const begin = e => `${e.pid} ${e.tid} ${e.ts}`;
  for (const e of events.filter(e => e.ph === 'X')) {
    slices[name(e.pid, e.tid)] = (slices[name(e.pid, e.tid)] ?? 0) + 1;
    begins.add(begin(e));
  }
  for (const e of events.filter(e => e.ph === 's')) starts.set(e.id, e);
  for (const e of events.filter(e => e.ph === 'f')) {
    const start = starts.get(e.id);
    if (begins.has(begin(start)) && begins.has(begin(e)) && start.ts !== e.ts) ++flows;
  }
  return {slices, flows};
}

// What the parser expects of a browser or of a newer Node.
function fillGaps() {
  globalThis.DOMRect ??= class DOMRect {};
  URL.parse ??= (url, base) => {
    try {
      return new URL(url, base);
    } catch {
      return null;
    }
  };
}

async function countParsed(events) {
  fillGaps();
  const {TraceModel} = await import('@paulirish/trace_engine');
  const model = TraceModel.Model.createWithAllHandlers();
  await model.parse(events.map(e => ({...e, cat: 'all'})), {});
  const {Renderer, Flows} = model.parsedTrace(0).data;
  const name = namesOf(events);
  const slices = {};
  for (const [pid, {threads}] of Renderer.processes) {
    for (const [tid, thread] of threads) {
      const key = name(pid, tid);
      if (!key.endsWith(` / ${thread.name}`)) throw new Error(`${key} is called ${thread.name} by the parser`);
      slices[key] = (slices[key] ?? 0) + thread.entries.length;
    }
  }
  return {slices, flows: Flows.flows.length};
}

const events = readEvents(path);
const {slices, flows} = raw ? countRaw(events) : await countParsed(events);
const sorted = Object.fromEntries(Object.keys(slices).sort().map(key => [key, slices[key]]));
console.log(JSON.stringify({flows, slices_by_track: sorted}, null, 2));
