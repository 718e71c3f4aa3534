/* The resources of the API, in the order of the reference. A new resource is a file beside this one and a line here. */
#include "api/resource.h"

#define RESOURCES(X)            \
    X(conversation)             \
    X(conversation_message)     \
    X(read_marker)              \
    X(conversation_starter)     \
    X(conversation_rating)      \
    X(case_rating)              \
    X(case)                     \
    X(case_reply)               \
    X(case_message)             \
    X(message_recipient)        \
    X(channel)                  \
    X(time_tracking)            \
    X(email_original)           \
    X(post)                     \
    X(view)                     \
    X(view_column)              \
    X(view_count)               \
    X(macro)                    \
    X(macro_preview)            \
    X(endpoint)                 \
    X(endpoint_delivery)        \
    X(endpoint_attempt)         \
    X(event)                    \
    X(case_status)              \
    X(case_priority)            \
    X(case_type)                \
    X(user)                     \
    X(user_minimal)             \
    X(identity_email)           \
    X(identity_phone)           \
    X(identity_twitter)         \
    X(identity_facebook)        \
    X(team)                     \
    X(team_minimal)             \
    X(role)                     \
    X(permission)               \
    X(organization)             \
    X(identity_domain)          \
    X(trigger)                  \
    X(monitor)                  \
    X(trigger_channel)          \
    X(trigger_dry_run)          \
    X(action_definition)        \
    X(definition)               \
    X(business_hour)            \
    X(sla)                      \
    X(sla_proposition)          \
    X(sla_target)               \
    X(sla_version)              \
    X(sla_version_target)       \
    X(sla_metric)               \
    X(sla_explanation)          \
    X(article_search)           \
    X(suggestion)               \
    X(tag)                      \
    X(contact_address)          \
    X(contact_website)          \
    X(external_identifier)      \
    X(case_field)               \
    X(user_field)               \
    X(organization_field)       \
    X(field_option)             \
    X(user_field_value)         \
    X(case_field_value)         \
    X(case_form)                \
    X(conversation_field)       \
    X(conversation_field_value) \
    X(organization_field_value) \
    X(section)                  \
    X(section_slug)             \
    X(article_slug)             \
    X(category)                 \
    X(category_slug)            \
    X(locale_field)             \
    X(locale)                   \
    X(brand)                    \
    X(template)                 \
    X(template_version)         \
    X(report_helpcenter_search) \
    X(note)                     \
    X(case_note)                \
    X(article)                  \
    X(article_attachment)       \
    X(article_version)          \
    X(article_comparison)       \
    X(attachment)               \
    X(file)                     \
    X(activity)                 \
    X(change)                   \
    X(autocomplete)             \
    X(profile)                  \
    X(session)                  \
    X(proof)                    \
    X(twofactor)                \
    X(job)                      \
    X(setting)                  \
    X(notification_preference)  \
    X(result)

#define DECLARE(name) extern const struct resource name##_resource;
#define ADDRESS(name) &name##_resource,

RESOURCES(DECLARE)
const struct resource *const resources[] = {RESOURCES(ADDRESS) NULL};
