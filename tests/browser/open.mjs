// Opens a trace in speedscope in headless Chromium and asserts that it shows its threads.
//
//   node open.mjs CHROMIUM TRACE SCREENSHOT.png
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import {createRequire} from 'node:module';
import path from 'node:path';

import puppeteer from 'puppeteer-core';

const [executablePath, trace, screenshot] = process.argv.slice(2);
if (!screenshot) {
  console.error('usage: node open.mjs CHROMIUM TRACE SCREENSHOT.png');
  process.exit(2);
}

const speedscope = path.join(
    path.dirname(createRequire(import.meta.url).resolve('speedscope/package.json')), 'dist/release');
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm'};

// speedscope's own files and the trace, from one origin.
function serve() {
  const server = http.createServer((request, response) => {
    const name = path.basename(new URL(request.url, 'http://localhost').pathname);
    const file = name === path.basename(trace) ? trace : path.join(speedscope, name || 'index.html');
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, {'content-type': types[path.extname(file)] ?? 'application/octet-stream'});
    fs.createReadStream(file).pipe(response);
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const server = await serve();
// A new, empty profile each time: puppeteer makes it and removes it.
const browser = await puppeteer.launch({
  executablePath,
  headless: true,
  defaultViewport: {width: 1400, height: 700},
  args: [
    '--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'
  ],
});
try {
  const page = await browser.newPage();
  const complaints = [];
  const overlap = /Tried to end|was still open/;  // how speedscope reports slices that do not nest
  page.on('console', message => {
    if (message.type() === 'error' || overlap.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(String(error)));
  const base = `http://127.0.0.1:${server.address().port}`;
  const name = path.basename(trace);
  await page.goto(`${base}/index.html#profileURL=${base}/${encodeURIComponent(name)}`);
  // The first of several threads, and its place among them: "rank 0 (pid 1), compute (tid 1) (1/5)".
  const shown = await page.waitForFunction(
      () => document.body.innerText.match(/.*\(tid \d+\)\s*\(1\/(\d+)\)/)?.[0], {timeout: 60_000});
  await new Promise(resolve => setTimeout(resolve, 500));  // until the flame chart is drawn, for the screenshot
  await page.screenshot({path: screenshot});
  console.log(`speedscope shows ${await shown.jsonValue()}`);
  assert.equal(await page.title(), `${name} - speedscope`);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
  server.close();
}
