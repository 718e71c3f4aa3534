// Prometheus' own program checks the metrics, the alerts and the configuration.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../api/lib/index.mjs';

const folder = fileURLToPath(new URL('../../docs/monitoring', import.meta.url));
const promtool = (args, input) => {
  const done = spawnSync('promtool', args, { input, encoding: 'utf8', cwd: folder });
  assert.equal(done.status, 0, `promtool ${args.join(' ')}: ${done.stdout}${done.stderr}${done.error ?? ''}`);
  return done.stdout + done.stderr;
};

test('promtool finds nothing in the metrics', async (t) => {
  const desk = await open(t, { processes: 1, args: ['--lmtp', '127.0.0.1:0'] });
  const { text } = await desk.anyone.exchange('GET', '/metrics');
  assert.equal(promtool(['check', 'metrics'], text).trim(), '');
});

test('promtool finds nothing in the configuration and the alerts', () => {
  assert.match(promtool(['check', 'config', 'prometheus.yml']), /SUCCESS/);
  assert.match(promtool(['check', 'rules', 'alerts.yml']), /SUCCESS: 15 rules found/);
});

test('an alert fires when its cause lasts, and not before', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'deskd-rules-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'test.yml');
  const alert = (name, series, at, fires) => ({ interval: '1m', input_series: series, alert_rule_test: at.map((eval_time, i) => ({ eval_time, alertname: name, exp_alerts: fires[i] })) });
  const refused = [{ series: 'deskd_store_writable{instance="a"}', values: '1 1 0 0 0 1' }];
  const firing = { exp_labels: { severity: 'page', instance: 'a' }, exp_annotations: {
    summary: 'a takes no writes', description: "The disk is full or failing, or the database can't be reached. Reads still work. deskd tries again each second.",
  } };
  const errors = [
    { series: 'deskd_requests_total{instance="a",class="5xx"}', values: '0+2x20' },
    { series: 'deskd_requests_total{instance="a",class="2xx"}', values: '0+98x20' },
    { series: 'deskd_requests_total{instance="b",class="5xx"}', values: '0+1x20' },
    { series: 'deskd_requests_total{instance="b",class="2xx"}', values: '0+999x20' },
  ];
  const failing = { exp_labels: { severity: 'page', instance: 'a' }, exp_annotations: {
    summary: 'One of a hundred requests to a fails', description: 'The log has a line with the X-Request-ID of each.',
  } };
  writeFileSync(file, JSON.stringify({ rule_files: [join(folder, 'alerts.yml')], evaluation_interval: '1m', tests: [
    alert('DeskdWritesRefused', refused, ['1m', '4m', '5m'], [[], [firing], []]),
    alert('DeskdErrors', errors, ['3m', '15m'], [[], [failing]]),
  ] }));
  promtool(['test', 'rules', file]);
});
