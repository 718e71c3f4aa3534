#include "core/signin/url.h"

#include "base/buf.h"
#include "base/encoding.h"

#include <curl/curl.h>
#include <sodium.h>

struct str url_form(struct arena *a, const struct url_pair *pairs) {
    struct buf b = {0};
    for (; pairs->name; pairs++) {
        if (pairs->value.p == NULL) continue;
        if (b.n) buf_char(&b, '&');
        buf_text(&b, pairs->name);
        buf_char(&b, '=');
        buf_str(&b, url_encoded(a, pairs->value));
    }
    return buf_take(&b, a);
}

struct str url_with(struct arena *a, struct str url, const struct url_pair *pairs) {
    struct str form = url_form(a, pairs), made = {0};
    CURLU *u = curl_url();
    char *text = NULL;
    if (u && curl_url_set(u, CURLUPART_URL, str_dup(a, url).p, 0) == CURLUE_OK &&
        curl_url_set(u, CURLUPART_QUERY, form.p, CURLU_APPENDQUERY) == CURLUE_OK &&
        curl_url_get(u, CURLUPART_URL, &text, 0) == CURLUE_OK)
        made = str_dup(a, str_of(text));
    curl_free(text);
    curl_url_cleanup(u);
    return made;
}

struct str pkce_challenge(struct arena *a, struct str verifier) {
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, (const unsigned char *)verifier.p, verifier.n);
    return base64url_encode(a, hash, sizeof hash);
}

struct str url_host_part(struct arena *a, struct str url) {
    CURLU *u = curl_url();
    char *text = NULL;
    struct str host = {0};
    if (u && curl_url_set(u, CURLUPART_URL, str_dup(a, url).p, 0) == CURLUE_OK &&
        curl_url_get(u, CURLUPART_HOST, &text, 0) == CURLUE_OK)
        host = str_dup(a, str_of(text));
    curl_free(text);
    curl_url_cleanup(u);
    return host;
}
