// A site with the widget of a desk in its pages.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Pages of a site: the path has the attributes of the script. `headers` are those of the page. */
export const siteOf = async (desk) => {
  const policy = `default-src 'none'; script-src ${desk.base}; connect-src ${desk.base}; img-src ${desk.base}; require-trusted-types-for 'script'; trusted-types 'none'`;
  const server = createServer((request, response) => {
    const asked = new URL(request.url, 'http://site'), attributes = [...asked.searchParams].map(([name, value]) => ` data-${name}="${value.replaceAll('"', '&quot;')}"`).join('');
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });
    response.end(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A shop</title><body><main><h1>Engines</h1><p>For every boat. <a href="/other">Other engines</a></p></main>
      <script src="${desk.base}/widget.js"${attributes} async></script></body></html>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { base: `http://localhost:${server.address().port}`, end: () => { server.closeAllConnections(); server.close(); } };
};
