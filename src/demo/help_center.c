/* The help center of the demo desk: two categories, four sections and twelve articles, in English and
 * German. */
#include "demo/extras.h"
#include "demo/fill.h"

#include "work/work.h"

QUERY(demo_locales_public, "UPDATE locales SET is_public = 1 WHERE locale = 'de'");
QUERY(demo_category_retitle,
      "UPDATE locale_fields SET translation = :title WHERE owner_kind = 7 AND owner_id = 1");
QUERY(demo_category, "INSERT INTO categories (brand_id, display_order, created_at, updated_at) "
                     "VALUES (1, 2, :now, :now) RETURNING id");
QUERY(demo_section, "INSERT INTO sections (category_id, visibility, agent_id, article_order_by, "
                    "sort_order, total_articles, published_articles, created_at, updated_at) "
                    "VALUES (:category, :visibility, 1, 1, :place, 3, 3, :now, :now) "
                    "RETURNING id");
QUERY(demo_article,
      "INSERT INTO articles (uuid, section_id, status, author_id, creator_id, keywords, "
      "is_featured, allow_comments, sort_order, texts_user_id, texts_at, published_at, "
      "created_at, updated_at) "
      "VALUES (:uuid, :section, 3, 1, 1, NULL, :featured, 1, :place, 1, :now, :now, :now, :now) "
      "RETURNING id");
QUERY(demo_translation,
      "INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) "
      "VALUES (:kind, :owner, :locale, :text, :now, :now)");

struct both {
    const char *en, *de;
};

static const struct both second_category = {"Account and billing", "Konto und Rechnung"};

static const struct {
    int visibility;
    struct both title, articles[3][2]; /* title and contents of each article */
} help_sections[] = {
    {1,
     {"Delivery", "Lieferung"},
     {{{"Track your parcel", "Ihr Paket verfolgen"},
       {"<p>The message about the dispatch has a link to the carrier. It works from the evening on.</p>",
        "<p>Die Nachricht zum Versand hat einen Link zum Paketdienst. Er gilt ab dem Abend.</p>"}},
      {{"Change the address of a delivery", "Die Lieferadresse ändern"},
       {"<p>Until the parcel is packed, change the address in your order. Later, ask the carrier.</p>",
        "<p>Bis zum Packen ändern Sie die Adresse in der Bestellung. Danach hilft der Paketdienst.</p>"}},
      {{"A parcel arrives damaged", "Ein Paket kommt beschädigt an"},
       {"<p>Take a photo of the box and of the article. Write to us within a week.</p>",
        "<p>Machen Sie ein Foto vom Karton und vom Artikel. Schreiben Sie uns innerhalb einer Woche.</p>"}}}},
    {1,
     {"Returns", "Rückgabe"},
     {{{"Return an article", "Einen Artikel zurückgeben"},
       {"<p>Print the label from your order, and bring the parcel to a shop of the carrier within 30 "
        "days.</p>",
        "<p>Drucken Sie das Etikett der Bestellung und geben Sie das Paket innerhalb von 30 Tagen ab.</p>"}},
      {{"When the money comes back", "Wann das Geld zurückkommt"},
       {"<p>We check a return within three days. Your bank needs two more.</p>",
        "<p>Wir prüfen eine Rückgabe innerhalb von drei Tagen. Ihre Bank braucht zwei weitere.</p>"}},
      {{"Exchange for another size", "Gegen eine andere Größe tauschen"},
       {"<p>Order the other size, and return the first one. The second delivery is free.</p>",
        "<p>Bestellen Sie die andere Größe und geben Sie die erste zurück. Die zweite Lieferung ist frei.</p>"}}}},
    {1,
     {"Your account", "Ihr Konto"},
     {{{"Reset your password", "Das Passwort zurücksetzen"},
       {"<p>Choose <em>Forgot password</em> on the login page. The link in the letter works for three "
        "days.</p>",
        "<p>Wählen Sie <em>Passwort vergessen</em> auf der Anmeldeseite. Der Link gilt drei Tage.</p>"}},
      {{"Log in with a second step", "Mit zweitem Schritt anmelden"},
       {"<p>Scan the picture in your profile with an authenticator, and keep the recovery codes.</p>",
        "<p>Lesen Sie das Bild im Profil mit einer App ein und bewahren Sie die Codes auf.</p>"}},
      {{"Change your e-mail address", "Die E-Mail-Adresse ändern"},
       {"<p>Add the new address to your profile, open the link in the letter, and make it the primary "
        "one.</p>",
        "<p>Fügen Sie die Adresse im Profil hinzu, öffnen Sie den Link und machen Sie sie zur ersten.</p>"}}}},
    {3,
     {"For the team", "Für das Team"},
     {{{"Refund an order", "Eine Bestellung erstatten"},
       {"<p>Up to 100 an agent decides alone. Above, ask the team lead.</p>",
        "<p>Bis 100 entscheidet der Agent allein. Darüber entscheidet die Teamleitung.</p>"}},
      {{"Angry customers", "Verärgerte Kunden"},
       {"<p>Repeat the problem in your own words. Then say what happens next, and when.</p>",
        "<p>Wiederholen Sie das Problem mit eigenen Worten. Sagen Sie dann, was als Nächstes geschieht.</p>"}},
      {{"Hand over a conversation", "Ein Gespräch übergeben"},
       {"<p>Write a note with the state and the promise. Then assign the team.</p>",
        "<p>Schreiben Sie eine Notiz mit Stand und Zusage. Weisen Sie dann das Team zu.</p>"}}}},
};

static int fill_both(struct conn *c, const struct filling *f, int kind, int64_t owner,
                     const struct both *text) {
    const struct { const char *locale, *text; } each[] = {{"en-us", text->en}, {"de", text->de}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        TRY(db_exec(c, &demo_translation,
                    BINDS(B_INT("kind", kind), B_INT("owner", owner),
                          B_TEXT("locale", str_of(each[i].locale)), B_TEXT("text", str_of(each[i].text)),
                          B_INT("now", f->world.start))));
    return 0;
}

static int fill_article(struct conn *c, const struct filling *f, int64_t section, int place,
                        const struct both *texts) {
    struct chance chance = chance_of(f->world.seed, OF_UUID, -(section * 100 + place));
    char uuid[36];
    int64_t id;
    chance_uuid(&chance, uuid);
    TRY(db_insert(c, &demo_article,
                  BINDS(B_TEXT("uuid", ((struct str){uuid, sizeof uuid})), B_INT("section", section),
                        B_INT("featured", place == 1), B_INT("place", place), B_INT("now", f->world.start)),
                  &id));
    TRY(fill_both(c, f, 11, id, &texts[0]));
    return fill_both(c, f, 12, id, &texts[1]);
}

int fill_help_center(struct conn *c, struct filling *f) {
    const struct bind *now = BINDS(B_INT("now", f->world.start));
    int64_t category = 1, section;
    TRY(db_exec(c, &demo_locales_public, NULL));
    TRY(db_exec(c, &demo_category_retitle, BINDS(B_TEXT("title", S("Orders")))));
    for (int i = 0; i < (int)(sizeof help_sections / sizeof *help_sections); i++) {
        if (i == 2) {
            TRY(db_insert(c, &demo_category, now, &category));
            TRY(fill_both(c, f, 7, category, &second_category));
        }
        TRY(db_insert(c, &demo_section,
                      BINDS(B_INT("category", category), B_INT("visibility", help_sections[i].visibility),
                            B_INT("place", i + 1), B_INT("now", f->world.start)),
                      &section));
        TRY(fill_both(c, f, 9, section, &help_sections[i].title));
        for (int k = 0; k < 3; k++) TRY(fill_article(c, f, section, k + 1, help_sections[i].articles[k]));
    }
    return 0;
}
