#include "api/caller/remembered_login.h"

#include "api/call/machine.h"

#include <sodium.h>
#include <stdlib.h>

#define REMEMBER (5 * TIME_MINUTE)
#define REMEMBERED_LOGINS 1024
struct remembered_logins {
    pthread_mutex_t lock;
    struct remembered_login place[REMEMBERED_LOGINS];
};

struct remembered_logins *remembered_logins_new(void) {
    struct remembered_logins *m = calloc(1, sizeof *m);
    if (m) pthread_mutex_init(&m->lock, NULL);
    return m;
}

void remembered_logins_free(struct remembered_logins *m) {
    if (m) pthread_mutex_destroy(&m->lock);
    free(m);
}

void remembered_login_key(struct call *c, const struct credentials_given *g, unsigned char key[MAC_SIZE]) {
    const struct actor *a = &c->work.actor;
    struct buf b = {0};
    const struct str parts[] = {g->pair.login, g->pair.password, a->user_agent, a->remote,
                                g->csrf ? S("1") : S("0")};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        buf_int(&b, (int64_t)parts[i].n);
        buf_char(&b, ':');
        buf_str(&b, parts[i]);
    }
    mac(key, &c->work.desk->credential_key, buf_view(&b));
    sodium_memzero(b.p, b.n);
    buf_free(&b);
}

static struct remembered_login *remembered_login_place(struct remembered_logins *m,
                                                       const unsigned char key[MAC_SIZE]) {
    size_t at;
    memcpy(&at, key, sizeof at);
    return &m->place[at % REMEMBERED_LOGINS];
}

struct remembered_login remembered_login_find(struct api *api, const unsigned char key[MAC_SIZE]) {
    struct remembered_login found = {0};
    pthread_mutex_lock(&api->logins->lock);
    const struct remembered_login *p = remembered_login_place(api->logins, key);
    if (p->until > clock_monotonic() && sodium_memcmp(p->key, key, MAC_SIZE) == 0) found = *p;
    pthread_mutex_unlock(&api->logins->lock);
    return found;
}

void remembered_login_keep(struct api *api, const unsigned char key[MAC_SIZE], const struct session *s) {
    struct remembered_login m = {.session_id = s->id,
                                 .password_updated_at = s->password_updated_at,
                                 .logins_version = s->logins_version,
                                 .until = clock_monotonic() + REMEMBER};
    memcpy(m.key, key, MAC_SIZE);
    pthread_mutex_lock(&api->logins->lock);
    *remembered_login_place(api->logins, key) = m;
    pthread_mutex_unlock(&api->logins->lock);
}
