#include "core/rules/rule.h"

#include "core/words.h"

const struct word rule_channels[] = {{RULE_API, "API"},
                                     {RULE_MAIL, "MAIL"},
                                     {RULE_TWITTER, "TWITTER"},
                                     {RULE_FACEBOOK, "FACEBOOK"},
                                     {RULE_VOICE, "VOICE"},
                                     {RULE_MESSENGER, "MESSENGER"},
                                     {RULE_SYSTEM, "SYSTEM"},
                                     {RULE_HELPCENTER, "HELPCENTER"},
                                     {0}};
const struct word rule_events[] = {
    {RULE_SLA_BREACHED, "SLA_BREACHED"}, {RULE_TRIGGERED, "TRIGGER"},
    {RULE_MONITORED, "MONITOR"},         {RULE_INCOMING_MAIL, "INCOMING_MAIL"},
    {RULE_MENTION, "MENTION"},           {RULE_DIRECT_MESSAGE, "DIRECT_MESSAGE"},
    {RULE_SAVED_SEARCH, "SAVED_SEARCH"}, {RULE_WALL_POST, "WALL_POST"},
    {RULE_MESSAGE, "MESSAGE"},           {0}};

const enum rule_event *rule_events_of(enum rule_channel channel) {
    static const enum rule_event none[] = {0},
                                 system[] = {RULE_SLA_BREACHED, RULE_TRIGGERED, RULE_MONITORED, 0},
                                 mail[] = {RULE_INCOMING_MAIL, 0},
                                 twitter[] = {RULE_MENTION, RULE_DIRECT_MESSAGE, RULE_SAVED_SEARCH, 0},
                                 facebook[] = {RULE_WALL_POST, RULE_MESSAGE, 0};
    switch (channel) {
    case RULE_SYSTEM: return system;
    case RULE_MAIL: return mail;
    case RULE_TWITTER: return twitter;
    case RULE_FACEBOOK: return facebook;
    default: return none;
    }
}

enum rule_channel rule_channel_of(int source) {
    switch (source) {
    case SOURCE_MAIL: return RULE_MAIL;
    case SOURCE_MESSENGER: return RULE_MESSENGER;
    case SOURCE_HELPCENTER: return RULE_HELPCENTER;
    default: return RULE_API;
    }
}
