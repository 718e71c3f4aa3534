// Two client libraries, unmodified, complete every grant: openid-client and oauth4webapi.
import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { describe, test } from 'node:test';
import { Browser, CALLBACK, PASSWORD, lives, register, shared, toConsent } from './lib/index.mjs';

globalThis.crypto ??= webcrypto; // Node 18
const oauth = await import('oauth4webapi');
const openid = await import('openid-client');

describe('client libraries', () => {
  const world = shared(async (world) => {
    world.confidential = await register(world.desk, { is_password_grant_enabled: true });
    world.open = await register(world.desk, { is_public: true });
  });

  /** The person's part: opens the address, logs in, allows. Returns the address that the browser is sent to. */
  const consent = async (url) => {
    const { desk } = world, visitor = new Browser(desk);
    const page = await toConsent(visitor, String(url), desk.people.agent);
    return new URL((await visitor.send(page, { do: 'allow' })).must(303).headers.location);
  };

  describe('openid-client', () => {
    const discover = (client, auth) => openid.discovery(new URL(world.desk.base), client.key, client.secret ?? undefined, auth, { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] });
    const flow = async (config) => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier(), expectedState = openid.randomState();
      const url = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'users:read', code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier), code_challenge_method: 'S256', state: expectedState });
      return openid.authorizationCodeGrant(config, await consent(url), { pkceCodeVerifier, expectedState });
    };

    for (const [name, auth] of [['client_secret_basic', openid.ClientSecretBasic], ['client_secret_post', openid.ClientSecretPost]])
      test(`a confidential client with ${name}: code, refresh, introspection, revocation`, async () => {
        const config = await discover(world.confidential, auth(world.confidential.secret));
        const tokens = await flow(config);
        assert.ok(await lives(world.desk, tokens.access_token));
        const next = await openid.refreshTokenGrant(config, tokens.refresh_token);
        assert.equal((await openid.tokenIntrospection(config, next.access_token)).active, true);
        await openid.tokenRevocation(config, next.refresh_token);
        assert.equal((await openid.tokenIntrospection(config, next.access_token)).active, false);
        assert.equal(await lives(world.desk, next.access_token), false);
      });

    test('a public client: code, refresh, revocation', async () => {
      const config = await discover(world.open, openid.None());
      const tokens = await flow(config);
      const next = await openid.refreshTokenGrant(config, tokens.refresh_token);
      assert.ok(await lives(world.desk, next.access_token));
      await openid.tokenRevocation(config, next.refresh_token);
      assert.equal(await lives(world.desk, next.access_token), false);
    });

    test('the library gets tokens by client_credentials and password', async () => {
      const config = await discover(world.confidential, openid.ClientSecretBasic(world.confidential.secret));
      assert.ok(await lives(world.desk, (await openid.clientCredentialsGrant(config, { scope: 'users:read' })).access_token));
      const tokens = await openid.genericGrantRequest(config, 'password', { username: world.desk.people.agent.email, password: PASSWORD });
      assert.ok(await lives(world.desk, tokens.access_token));
      await assert.rejects(openid.genericGrantRequest(config, 'password', { username: world.desk.people.agent.email, password: 'wrong' }), { error: 'invalid_grant' });
    });

    test('a denial is an error of the library', async () => {
      const config = await discover(world.confidential);
      const visitor = new Browser(world.desk), url = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, state: 's' });
      const back = (await visitor.send(await toConsent(visitor, String(url), world.desk.people.agent), { do: 'deny' })).headers.location;
      await assert.rejects(openid.authorizationCodeGrant(config, new URL(back), { expectedState: 's' }), { error: 'access_denied' });
    });
  });

  describe('oauth4webapi', () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const discover = async () => {
      const issuer = new URL(world.desk.base);
      return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
    };
    const flow = async (as, client, auth) => {
      const verifier = oauth.generateRandomCodeVerifier(), state = oauth.generateRandomState();
      const url = new URL(as.authorization_endpoint);
      const more = { client_id: client.client_id, redirect_uri: CALLBACK, response_type: 'code', scope: 'conversations', state, code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
      for (const pair of Object.entries(more)) url.searchParams.set(...pair);
      const parameters = oauth.validateAuthResponse(as, client, await consent(url), state);
      const response = await oauth.authorizationCodeGrantRequest(as, client, auth, parameters, CALLBACK, verifier, insecure);
      return oauth.processAuthorizationCodeResponse(as, client, response);
    };
    const refresh = async (as, client, auth, token) => oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(as, client, auth, token, insecure));
    const active = async (as, client, auth, token) => (await oauth.processIntrospectionResponse(as, client, await oauth.introspectionRequest(as, client, auth, token, insecure))).active;

    for (const [name, auth] of [['client_secret_basic', oauth.ClientSecretBasic], ['client_secret_post', oauth.ClientSecretPost]])
      test(`a confidential client with ${name}: every grant`, async () => {
        const as = await discover(), client = { client_id: world.confidential.key }, own = auth(world.confidential.secret);
        const tokens = await flow(as, client, own);
        const next = await refresh(as, client, own, tokens.refresh_token);
        assert.ok(await lives(world.desk, next.access_token));
        assert.equal(await active(as, client, own, next.access_token), true);
        await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, own, next.refresh_token, insecure));
        assert.equal(await active(as, client, own, next.access_token), false);
        const machine = await oauth.processClientCredentialsResponse(as, client, await oauth.clientCredentialsGrantRequest(as, client, own, { scope: 'search:read' }, insecure));
        assert.equal(machine.scope, 'search:read');
        const login = await oauth.genericTokenEndpointRequest(as, client, own, 'password', { username: world.desk.people.agent.email, password: PASSWORD }, insecure);
        assert.ok(await lives(world.desk, (await oauth.processGenericTokenEndpointResponse(as, client, login)).access_token));
      });

    test('a public client: code, refresh', async () => {
      const as = await discover(), client = { client_id: world.open.key }, own = oauth.None();
      const tokens = await flow(as, client, own);
      assert.ok(await lives(world.desk, (await refresh(as, client, own, tokens.refresh_token)).access_token));
      await assert.rejects(refresh(as, client, own, tokens.access_token), { error: 'invalid_grant' });
    });
  });
});
