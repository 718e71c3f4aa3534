/* Visibility of the help center. */
#ifndef CORE_ACCESS_HELP_CENTER_H
#define CORE_ACCESS_HELP_CENTER_H

#include "core/access/access.h"

/* PUBLIC sections: everyone. AUTHORIZED: logged-in people; with tags, only those who carry one. AGENTS:
 * staff; with teams, only members of one; with tags, only those who carry one. Admins and owners see all.
 * Deleted sections, and sections of deleted categories: nobody. A page of a widget sees those of its brand
 * and of all brands. */
void access_sections(struct work *w, struct branches *out);
/* Categories with a visible section, and those without sections. The title of a category says what its
 * hidden sections are about. */
void access_categories(struct work *w, struct branches *out);
/* Articles of visible sections: published ones, and the own ones of staff. Writers (permission
 * help_center_articles.manage) see all. */
void access_articles(struct work *w, struct branches *out);
bool access_writes_articles(const struct actor *a); /* the actor sees and changes articles of any status */

#endif
