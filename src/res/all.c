/* The resources of the API. A new one is a file beside this and a line in each list. */
#include "api/resource.h"

extern const struct resource business_hour_resource, case_priority_resource, case_status_resource, case_type_resource,
    conversation_resource, conversation_message_resource, identity_email_resource, identity_facebook_resource, identity_phone_resource,
    identity_twitter_resource, job_resource,
    locale_resource, organization_resource, permission_resource, proof_resource, read_marker_resource, role_resource, session_resource,
    profile_resource, setting_resource, team_resource, team_minimal_resource, twofactor_resource,
    user_resource, user_minimal_resource;

const struct resource *const resources[] = {
    &conversation_resource,
    &conversation_message_resource,
    &read_marker_resource,
    &case_status_resource,
    &case_priority_resource,
    &case_type_resource,
    &user_resource,
    &user_minimal_resource,
    &identity_email_resource,
    &identity_phone_resource,
    &identity_twitter_resource,
    &identity_facebook_resource,
    &team_resource,
    &team_minimal_resource,
    &role_resource,
    &permission_resource,
    &organization_resource,
    &business_hour_resource,
    &locale_resource,
    &profile_resource,
    &session_resource,
    &proof_resource,
    &twofactor_resource,
    &job_resource,
    &setting_resource,
    NULL,
};
