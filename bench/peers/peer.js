// The same answers from njs: the body parsed, the answer built and printed.
// There is no shared dictionary at this version, so the look-ups are in an
// object of the configuration.  Let off the same things as peer.lua.

const token = 'A'.repeat(200);
const shared = { key: '01234567-89ab-4def-8123-456789abcdef', query: 3,
    allowance: 1000000 };

const ads = [1, 2, 3].map((i) => ({
    ad_id: '01234567-89ab-4def-8123-456789abcde' + i,
    title: 'Quillon laser printer ' + i,
    price: 189, price_micros: 189000000, currency: 'USD',
    description: 'Compact mono laser printer with duplex and wireless network',
    brand: 'Quillon', advertiser: 'Shop ' + i, sponsored: true,
    disclosure: 'Sponsored', position: i,
    expires_at: '2030-01-01T00:00:00Z',
    click_url: 'http://127.0.0.1:8080/v1/click/' + token
}));

function recommend(r) {
    const body = JSON.parse(r.requestText);

    if (typeof body.query !== 'string') {
        return r.return(400);
    }
    if (!r.headersIn.Authorization || !shared.key) {
        return r.return(401);
    }

    const n = Math.min(shared.query, body.max_results || 3);
    const show = shared.allowance > 0;

    r.headersOut['Content-Type'] = 'application/json';
    r.headersOut['Cache-Control'] = 'no-store';
    r.headersOut['X-Request-Id'] = shared.key;
    r.return(200, JSON.stringify({
        request_id: shared.key,
        decision: show ? 'SHOW' : 'NO_AD',
        ads: show ? ads.slice(0, n) : []
    }));
}

function click(r) {
    r.return(302, 'https://shop.example/p/1?from=ads&ads_click_id='
        + '01234567-89ab-8def-8123-456789abcdef#top');
}

export default { recommend, click };
