/* Every limit of the server, with its reason. The unit is the byte, unless the name says otherwise. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define LIMIT_BODY (1024 * 1024) /* a JSON or form body: ten times a bulk import of 200 records */
#define LIMIT_SPOOLED \
    (INT64_C(2)       \
     << 30) /* files of all bodies being received; one address or person gets a quarter (http/ledger.h) */
#define LIMIT_BODIES \
    (INT64_C(256) << 20) /* memory of all bodies being received; one address or person gets a quarter */
#define LIMIT_BODY_UNCOUNTED \
    (4 * 1024) /* the first bytes of a body are not counted: most bodies are shorter and so take no lock */
#define LIMIT_UPLOAD (100 * 1024 * 1024) /* a whole multipart body; a setting limits one file */
#define LIMIT_ATTACHMENTS 100            /* files of a message or a note */
#define LIMIT_MERGED 100 /* conversations that one request merges: each costs a few statements in one write */
#define LIMIT_SPLIT 100  /* posts that one request moves into a new conversation, in one write */
#define LIMIT_COPIES 50  /* copies of a reply by mail: each is a mail, and may create a person */
#define LIMIT_PARTS 256  /* parts of a multipart body */
#define LIMIT_PART_HEAD (16 * 1024) /* header lines of one part: clients send file names of 8 KiB */
#define LIMIT_CONNECTION_MEMORY \
    (18 * 1024) /* request head, its records and reply head; an idle connection costs 18.8 KiB in all */
#define LIMIT_HEAD \
    (12 * 1024) /* request line, header fields and trailers; the rest is for the head of the reply */
#define LIMIT_URI (10 * 1024)      /* request target: a thousand ids of six digits with encoded commas fit */
#define LIMIT_HEADERS 100          /* header fields of a request */
#define LIMIT_JSON_DEPTH 64        /* the deepest documented body needs 7 */
#define LIMIT_JSON_VALUES 100000   /* values of one document: 8 MiB of memory */
#define LIMIT_JSON_WRITE_DEPTH 128 /* open containers of a reply; deeper is a defect in the server */
#define LIMIT_FORM_NAMES 10000     /* pairs of one form */
#define LIMIT_FORM_DEPTH 16        /* brackets in one name */
#define LIMIT_IDS 1000             /* ids of a bulk call */
#define LIMIT_RECORDS 200          /* records of a bulk import */
#define LIMIT_PROPERTIES 65535     /* bytes of the properties of an event, as JSON: they are shown with it */
#define LIMIT_COLLECTIONS 50       /* collections of one predicate */
#define LIMIT_PROPOSITIONS \
    100 /* propositions of one predicate, in all collections: each is a term of one SQL statement */
#define LIMIT_SLAS 1000 /* SLAs of a desk: a change of a conversation is compared with each enabled one */
#define LIMIT_SLA_DESCRIPTION 5000 /* characters */
#define LIMIT_ACTIONS 50   /* actions of one rule: each is a few statements in the write of a change */
#define LIMIT_MONITORS 200 /* monitors of a desk, enabled or not: each may read every conversation */
#define LIMIT_TRIGGERS \
    2000 /* triggers of a desk, enabled or not: a process keeps the enabled ones compiled */
#define LIMIT_RULE_HOURS 87600        /* hours that a proposition may compare with: ten years */
#define LIMIT_RULE_TAGS 100           /* tags that one proposition names */
#define LIMIT_VIEWS 200               /* views, and macros, that one person made */
#define LIMIT_VIEW_COLUMNS 100        /* columns of a view */
#define LIMIT_ENDPOINT_URL 2048       /* bytes of the URL of an endpoint: servers accept that much */
#define LIMIT_PAGE 1000               /* items of a page */
#define LIMIT_REPLY (4 * 1024 * 1024) /* bytes of a page: it ends before `limit`, but has an item */
#define LIMIT_PLAIN_REPLY 1024        /* bytes of JSON that are never compressed */
#define LIMIT_PACKED_HERE (32 * 1024) /* bytes of a reply to a read that an event loop compresses: 0.1 ms */
#define LIMIT_LOADED \
    (16 * 1024 * 1024)  /* bytes of rows that a page loads; texts that `fields` leaves out are loaded, too */
#define LIMIT_PICKS 200 /* names in ?fields=: each is compared with each member of each row */
#define DEFAULT_PAGE 10
#define LIMIT_PASSWORD 1024     /* passwords are never truncated */
#define LIMIT_TITLE 255         /* characters of a one-line text */
#define LIMIT_TEXT 65535        /* characters of a longer text */
#define LIMIT_DATE 40           /* bytes of a written timestamp */
#define LIMIT_LOCALE 32         /* bytes of a language code */
#define LIMIT_SETTING 4096      /* characters of a setting: the certificates of a mail relay fit */
#define LIMIT_TAG 64            /* characters of a tag: its folded key still fits an index entry */
#define LIMIT_RATINGS 100       /* ratings of one conversation */
#define LIMIT_TAGS 100          /* tags of one owner */
#define LIMIT_WIDGET_ORIGINS 20 /* origins of pages that show the widget of one brand */
#define LIMIT_OWNED 100     /* addresses, web sites, identifiers and numbers of one owner, for each kind */
#define LIMIT_FIELDS 1000   /* custom fields of one area: all are read when values are given */
#define LIMIT_OPTIONS 2000  /* options of one custom field */
#define LIMIT_FIELD_KEY 64  /* characters of a custom field's key */
#define LIMIT_VALUE_KEY 200 /* bytes of a value that rules compare: it fits an index entry */
#define LIMIT_PATTERN 1000  /* characters of a regular expression */
#define LIMIT_TEMPLATE \
    (64 * 1024) /* characters of a template: some mail readers cut mails of more than 100 KB */
#define LIMIT_VERSIONS \
    1000 /* earlier versions of one template: as many as the largest page of a list has items */
#define LIMIT_VERSIONS_SIZE \
    (100 * LIMIT_TEMPLATE) /* characters of all versions together: they are one reply, of at most 25 MB */
#define LIMIT_ARTICLE_VERSIONS_SIZE \
    (64 * 1024 * 1024) /* bytes of all versions of one article together: 128 of the longest texts */
#define LIMIT_ARTICLE_TEXTS \
    400 /* texts of one request that are HTML to be cleaned: each takes a process and 25 ms */
#define LIMIT_SEARCH_TEXT (64 * 1024) /* bytes of a text that are indexed: about 10,000 words, 10 ms */
#define LIMIT_SEARCH_WORD 64          /* bytes of a word that are indexed */
#define LIMIT_SEARCH_QUERY 1000       /* characters of a search */
#define LIMIT_SEARCH_WORDS 32         /* words of a search: each is counted in the index */
#define LIMIT_SEARCH_FOUND 400        /* texts of the rarest word that a search examines: about 2 ms */
#define LIMIT_SEARCH_READ 2           /* times that many texts are read of the rows that a search examines */
#define LIMIT_CONTENTS (512 * 1024)   /* characters of a message */
#define LIMIT_DRAFT (64 * 1024)       /* characters of a draft: every pause of its writer sends it whole */
#define LIMIT_DRAFTS 200              /* drafts of one person: more than anybody writes side by side */
#define LIMIT_DRAFT_PARAMETERS (8 * 1024) /* bytes of the parameters of a draft, as JSON: 50 copies fit */
#define LIMIT_SCHEDULED 200               /* scheduled replies of one person, also refused ones */
#define LIMIT_CURSOR \
    8192 /* bytes of an opaque cursor: it may have a folded subject, and is a part of an address */
#define LIMIT_SLUG 80                 /* letters of the words of a slug: an address stays readable */
#define LIMIT_MAIL (50 * 1024 * 1024) /* a mail that comes in, as it was sent: files of 36 MB in Base64 */

#define LIMIT_HELD (INT64_C(256) << 20) /* bytes of replies that wait to be read; above it requests get 503 */
/* Bytes of replies that wait for one person, or one address without login: eight full pages. */
#define LIMIT_HELD_EACH (INT64_C(32) << 20)
#define LIMIT_CONNECTIONS 12000           /* open sockets: 10,000 idle ones fit */
#define LIMIT_CONNECTIONS_PER_ADDRESS 256 /* not applied to loopback and trusted proxies */
#define LIMIT_NOTICES 20        /* conversations of one write that a person gets a notification each of */
#define LIMIT_NOTIFICATIONS 500 /* notifications of a person that are kept: nobody reads further back */
#define LIMIT_LIVE 12000        /* sockets and streams of realtime, beside the connections above */
#define LIMIT_LIVE_PER_ADDRESS \
    512 /* an office behind one address; not applied to loopback and trusted proxies */
#define LIMIT_LIVE_PER_PERSON 50       /* tabs and devices of one person */
#define LIMIT_LIVE_TOPICS 100          /* channels of a connection */
#define LIMIT_STREAM_TOPICS 50         /* channels of a stream: their names are in its address */
#define LIMIT_LIVE_FRAME (64 * 1024)   /* a message of a client: the largest of known clients has 400 bytes */
#define LIMIT_LIVE_UNSENT (256 * 1024) /* what a peer has not read: about a thousand events */
#define LIVE_SPREAD_MS 3000            /* a stopping server closes all of them within this time */
#define LIVE_STUCK_MS 5000             /* time in which a peer must read something */
#define LIMIT_LIVE_RATE 20             /* messages of a client in a second */
#define LIMIT_LIVE_BURST 300           /* messages at once: a client that comes back joins all its channels */
#define LIMIT_LIVE_REPLAY 5000         /* entries of the change log that a returning client is sent */
#define DEADLINE_HEAD_MS 10000         /* time from the first byte to the end of the header section */
/* Time for a body; MIN_BODY_RATE is measured over the last DEADLINE_BODY_MS. */
#define DEADLINE_BODY_MS 30000
#define MIN_BODY_RATE (16 * 1024) /* bytes a second; a client that keeps this rate may take longer */
#define IDLE_KEEPALIVE_S 60       /* between two requests of a connection */
#define DRAIN_MS 10000            /* maximum wait of a stopping server for requests in progress */

#define LIMIT_LMTP_CONNECTIONS 200 /* each is a thread; mail servers open 20 to one destination */
#define LIMIT_LMTP_RECIPIENTS 1000 /* recipients of one mail; RFC 5321 demands 100 */
#define LIMIT_LMTP_LINE 2048       /* bytes of a command; RFC 5321 demands 512, and extensions add some */
#define LIMIT_LMTP_COPIES      \
    (10 * INT64_C(50) * 1024 * \
     1024)                   /* bytes that one mail may take for all its recipients: ten of the largest */
#define LIMIT_LMTP_ERRORS 20 /* wrong commands of one connection */
#define IDLE_LMTP_S 300      /* RFC 5321 section 4.5.3.2.7 */
/* Maximum life of a connection, so that a slow peer ends, too. */
#define LMTP_CONNECTION_MS 3600000

#define LIMIT_CASCADE 1000 /* rows that one write of a cascade changes: about 20 ms (docs/BENCHMARKS.md) */
#define LIMIT_EXACT_DURATIONS 50000      /* fewer durations of a report are read one by one: up to 40 ms */
#define LIMIT_BATCH 512                  /* works that share one COMMIT */
#define LIMIT_PICTURE (20 * 1024 * 1024) /* bytes that the picture decoder may return */
#define LIMIT_PIXELS (16 * 1000 * 1000)  /* pixels of a picture that is decoded: 64 MB as RGBA */
#define LIMIT_POOL_QUEUE 256 /* tasks that wait in one lane of the pool; above it requests get 503 */
/* Tasks of one caller that wait in one lane of the pool: thirty pictures fit. */
#define LIMIT_LANE_EACH 64
#define LIMIT_HASH_QUEUE \
    160 /* passwords that wait to be hashed: 20 to 30 ms each, so 4 to 5 s; above it requests get 503 */
/* Passwords or reads of one caller that wait: a whole office may log in from one address. */
#define LIMIT_BURST_EACH 112
#define LIMIT_INLINE_ROWS 500 /* estimated rows that a list loads on an event loop: about 5 ms */
#define LIMIT_DELAYED \
    256 /* logins that are delayed at one time, each a suspended connection; above it requests get 429 */
#define LIMIT_REFUSALS \
    4096 /* refusals of a full queue that wait REFUSAL_MS, each a suspended connection; more are sent at once */
#define REFUSAL_MS 250
#define LIMIT_DELAYED_ALIKE 16 /* maximum number of delayed logins of one account */
#define REPLICA_LAG_MS 5000    /* a replica that lags more than this serves no reads */
#define REPLICA_SLACK_MS \
    5000 /* added to a session's mark: marks are a second apart, a COMMIT takes time, clocks differ */
#define BUDGET_INLINE_MS 50  /* a GET on an event loop; when it is used up, the GET runs again in the pool */
#define BUDGET_POOL_MS 10000 /* a GET in the pool */

#define LIMIT_HTML \
    (2 * 1024 * 1024) /* bytes of a message's HTML that are read; the rest of a longer one is cut off */
#define LIMIT_HTML_ATTRIBUTES \
    100 /* attributes of an element: mail programs write less than 30; each is compared with all others */
#define LIMIT_HTML_CLEAN (4 * 1024 * 1024) /* bytes that are made of it: HTML and text, half of it each */

#endif
