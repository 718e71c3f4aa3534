import assert from 'node:assert/strict';
import http from 'node:http';
import { defer } from './defer.mjs';
import { until } from './until.mjs';

/** A server on 127.0.0.1 that receives deliveries. `answer(response, request)` ends the response; by default with 200. */
class Hook {
  constructor(answer) {
    Object.assign(this, { answer, requests: [], open: 0, most: 0 });
  }

  async start() {
    this.server = http.createServer((request, response) => {
      const chunks = [];
      this.most = Math.max(this.most, ++this.open);
      response.on('close', () => { this.open--; });
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const taken = { method: request.method, path: request.url, headers: request.headers, text, get json() { return JSON.parse(text); } };
        this.requests.push(taken);
        this.answer(response, taken, this.requests.length);
      });
    });
    await new Promise((resolve) => { this.server.listen(0, '127.0.0.1', resolve); });
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}/hook`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => { this.server.close(resolve); });
  }

  /** Waits for so many requests. Returns the last of them. */
  received(count) {
    return until(`${count} requests at the hook`, () => this.requests.length >= count && this.requests[count - 1]);
  }
}

export async function hook(t, answer = (response) => response.end()) {
  const server = await new Hook(answer).start();
  defer(t, () => server.stop());
  return server;
}

/** Allows endpoints on 127.0.0.1. */
export async function allowPrivate(desk, values = {}) {
  (await desk.owner.put('/settings', { values: { 'endpoints.allow_private_addresses': true, ...values } })).must(200);
}

/** Creates an endpoint of type HTTP. */
export const hooked = (desk, url, attributes = {}, more = {}) => desk.admin.create('/endpoints', { title: 'Hook', type: 'HTTP', attributes: { url, ...attributes }, ...more });

/** Sends a test to an endpoint. Returns the delivery. */
export const tested = async (desk, { id }) => desk.admin.create(`/endpoints/${id}/test`, {});

/** Waits until a delivery has this status. Returns it. */
export async function delivered(desk, { endpoint, id }, status = 'SENT') {
  return until(`delivery ${id} is ${status}`, async () => {
    const now = await desk.admin.fetch(`/endpoints/${endpoint.id}/deliveries/${id}`);
    return now.status === status && now;
  });
}

export const attempts = (desk, endpoint, query = {}) => desk.admin.fetch(`/endpoints/${endpoint.id}/attempts`, query);

/** Waits for so many attempts. Returns the newest. */
export async function attempted(desk, endpoint, count) {
  const list = await until(`${count} attempts`, async () => {
    const found = await attempts(desk, endpoint, { limit: 100 });
    return found.length >= count && found;
  });
  assert.equal(list.length, count);
  return list[0];
}
