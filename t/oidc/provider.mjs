// A real OpenID provider for t/http: oidc-provider (certified) behind a page
// that signs in whoever the test names, with the shapes of Google's or
// Microsoft's answers.  The test says over POST /control what goes wrong.
//
//     node provider.mjs '{"port":1,"kind":"google","client":{...}}'
//
// Control, a JSON object merged into `state`:
//
//     account   claims of who signs in: sub, email, email_verified, ...
//     deny      the person says no
//     discovery, keys, token   a fault of that answer: hang, drop, garbage,
//               empty, big, error, redirect (to `target`), and of discovery
//               issuer, host, short
//     claims    replaces claims of the ID token; null takes one away
//     sign      how it is signed: none, hs256, stranger (a key of nobody under
//               the known kid), es256
//     rotate    a new key, and the old one gone
//
// GET /control answers how often each address was asked.

import { createServer } from 'node:http';
import { createHmac, createSign, generateKeyPairSync, randomBytes }
    from 'node:crypto';
import Provider from 'oidc-provider';

const options = JSON.parse(process.argv[2]);
const origin = `http://127.0.0.1:${options.port}`;
const microsoft = options.kind === 'microsoft';
const prefix = microsoft ? `/${options.tenant}/v2.0` : '';
const common = '/common/v2.0';
const accounts = new Map();
const asked = {};
let state = {};

// ---- keys --------------------------------------------------------------------

function makeKey(kind) {
    const pair = kind === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
    const kid = randomBytes(6).toString('hex');
    const common = { kid, use: 'sig' };
    return {
        kid,
        privateKey: pair.privateKey,
        publicJwk: { ...pair.publicKey.export({ format: 'jwk' }), ...common },
        privateJwk: { ...pair.privateKey.export({ format: 'jwk' }), ...common },
    };
}

let rsa = makeKey('rsa');
const first = rsa;
const ec = makeKey('ec');

function part(value) {
    return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(header, claims, how) {
    const text = `${part(header)}.${part(claims)}`;
    return `${text}.${how(text).toString('base64url')}`;
}

function signToken(claims) {
    const head = { alg: 'RS256', typ: 'JWT', kid: rsa.kid };
    const with_key = (key) => (text) =>
        createSign('sha256').update(text)
            .sign({ key, dsaEncoding: 'ieee-p1363' });
    switch (state.sign) {
    case 'none':
        return sign({ alg: 'none', typ: 'JWT' }, claims, () => Buffer.alloc(0));
    case 'hs256':
        return sign({ ...head, alg: 'HS256' }, claims, (text) =>
            createHmac('sha256', JSON.stringify(rsa.publicJwk)).update(text)
                .digest());
    case 'stranger':
        return sign(head, claims, with_key(makeKey('rsa').privateKey));
    case 'es256':
        return sign({ ...head, alg: 'ES256', kid: ec.kid }, claims,
            with_key(ec.privateKey));
    default:
        return sign(head, claims, with_key(rsa.privateKey));
    }
}

// What the provider signed, with the test's changes, signed again.
function rewrite(token) {
    const text = Buffer.from(token.split('.')[1], 'base64url').toString();
    const claims = { ...JSON.parse(text), ...state.claims };
    for (const [name, value] of Object.entries(claims)) {
        if (value === null) {
            delete claims[name];
        }
    }
    return signToken(claims);
}

// ---- faults --------------------------------------------------------------------

// True when the answer is taken care of.
function fault(which, res) {
    switch (state[which]) {
    case 'hang':
        return true;
    case 'drop':
        res.socket.destroy();
        return true;
    case 'garbage':
        res.setHeader('Content-Type', 'application/json');
        res.end('<!doctype html><title>Hello</title>');
        return true;
    case 'empty':
        res.end('{}');
        return true;
    case 'big':
        res.end(`{"x":"${'y'.repeat(100000)}"}`);
        return true;
    case 'error':
        res.statusCode = which === 'token' ? 400 : 500;
        res.end('{"error":"invalid_grant","error_description":"no"}');
        return true;
    case 'redirect':
        res.writeHead(307, { Location: state.target });
        res.end();
        return true;
    default:
        return false;
    }
}

// ---- the provider -----------------------------------------------------------

const provider = new Provider(`${origin}${prefix}`, {
    clients: [{
        client_id: options.client.id,
        client_secret: options.client.secret,
        redirect_uris: [options.client.redirect_uri],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code'],
        response_types: ['code'],
    }],
    jwks: { keys: [first.privateJwk] },
    cookies: { keys: ['only for tests'] },
    pkce: { methods: ['S256'], required: () => true },
    features: { devInteractions: { enabled: false } },
    conformIdTokenClaims: false,
    claims: {
        openid: ['sub', 'tid'],
        email: ['email', 'email_verified', 'xms_edov'],
        profile: ['name'],
    },
    interactions: { url: (ctx, { uid }) => `${prefix}/interaction/${uid}` },
    ttl: { Interaction: 600, Session: 600, Grant: 600 },
    findAccount: (ctx, id) => ({
        accountId: id,
        claims: () => ({ sub: id, ...accounts.get(id) }),
    }),
    loadExistingGrant: async (ctx) => {
        const grant = new ctx.oidc.provider.Grant({
            clientId: ctx.oidc.client.clientId,
            accountId: ctx.oidc.session.accountId,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
    },
});

provider.use(async (ctx, next) => {
    await next();
    const route = ctx.oidc?.route;
    if (route === 'token' && ctx.body?.id_token) {
        ctx.body = { ...ctx.body, id_token: rewrite(ctx.body.id_token) };
    } else if (route === 'jwks') {
        ctx.body = { keys: [rsa.publicJwk, ec.publicJwk].map((key) =>
            microsoft ? { ...key, issuer: template() } : key) };
    } else if (route === 'discovery') {
        ctx.body = discovery(ctx.body);
    }
});

function template() {
    return `${origin}/{tenantid}/v2.0`;
}

function discovery(document) {
    const changes = {
        issuer: { issuer: 'https://other.example' },
        host: { authorization_endpoint: 'http://127.0.0.2/authorize' },
        short: { token_endpoint: undefined },
        silent: { authorization_response_iss_parameter_supported: undefined },
    };
    return {
        ...document,
        ...(microsoft ? { issuer: template() } : {}),
        ...changes[state.discovery],
    };
}

// Signs in the account that the test named, or says no.
async function interact(req, res) {
    const account = { ...state.account };
    accounts.set(account.sub, account);
    await provider.interactionFinished(req, res, state.deny
        ? { error: 'access_denied', error_description: 'no, thank you' }
        : { login: { accountId: account.sub } });
}

// ---- HTTP ----------------------------------------------------------------------

async function control(req, res) {
    let text = '';
    for await (const piece of req) {
        text += piece;
    }
    if (req.method === 'POST') {
        const change = JSON.parse(text);
        if (change.rotate) {
            rsa = makeKey('rsa');
            delete change.rotate;
        }
        state = change;
    }
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify(asked));
}

const handler = provider.callback();

createServer(async (req, res) => {
    try {
        if (req.url === '/control') {
            await control(req, res);
            return;
        }
        req.originalUrl = req.url;
        if (microsoft && req.url.startsWith(common)) {
            req.url = req.url.slice(common.length);
            req.originalUrl = prefix + req.url;
        } else if (prefix !== '' && req.url.startsWith(prefix)) {
            req.url = req.url.slice(prefix.length);
        }
        const path = req.url.split('?')[0];
        const which = {
            '/token': 'token',
            '/jwks': 'keys',
            '/.well-known/openid-configuration': 'discovery',
        }[path];
        if (which) {
            asked[which] = (asked[which] ?? 0) + 1;
            if (fault(which, res)) {
                return;
            }
        }
        if (path.startsWith('/interaction/')) {
            await interact(req, res);
        } else {
            handler(req, res);
        }
    } catch (error) {
        console.error(error);
        res.statusCode = 500;
        res.end('{}');
    }
}).listen(options.port, '127.0.0.1');
