// Made by web/operations.mjs from the description of the API. `make web-types` fails if it is old.
export const operations = {
  "POST /teams": {
    roles: ["ADMIN","OWNER"], permission: "teams.manage",
    fields: {
      "legacy_id": {"type":"string","nullable":true,"maxLength":255},
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "businesshour_id": {"type":"integer","nullable":true},
    },
  },
  "DELETE /teams": {
    roles: ["ADMIN","OWNER"], permission: "teams.manage",
    fields: {
    },
  },
  "PUT /teams/{id}": {
    roles: ["ADMIN","OWNER"], permission: "teams.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "businesshour_id": {"type":"integer","nullable":true},
    },
  },
  "DELETE /teams/{id}": {
    roles: ["ADMIN","OWNER"], permission: "teams.manage",
    fields: {
    },
  },
  "POST /teams/{id}/members": {
    roles: ["ADMIN","OWNER"], permission: "teams.manage",
    fields: {
      "agent_ids": {"type":"array","required":true},
    },
  },
  "DELETE /teams/{id}/members": {
    roles: ["ADMIN","OWNER"], permission: "teams.manage",
    fields: {
    },
  },
  "POST /cases/statuses": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "label": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "is_sla_active": {"type":"boolean"},
    },
  },
  "DELETE /cases/statuses": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/statuses/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "label": {"type":"string","minLength":1,"maxLength":255},
      "is_sla_active": {"type":"boolean"},
    },
  },
  "DELETE /cases/statuses/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/statuses/reorder": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "status_ids": {"type":"array","required":true},
    },
  },
  "POST /cases/priorities": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "label": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "level": {"type":"integer","maximum":1000000},
    },
  },
  "DELETE /cases/priorities": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/priorities/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "label": {"type":"string","minLength":1,"maxLength":255},
      "level": {"type":"integer","maximum":1000000},
    },
  },
  "DELETE /cases/priorities/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/priorities/reorder": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "priority_ids": {"type":"array","required":true},
    },
  },
  "POST /cases/types": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "label": {"type":"string","required":true,"minLength":1,"maxLength":255},
    },
  },
  "DELETE /cases/types": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/types/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "label": {"type":"string","minLength":1,"maxLength":255},
    },
  },
  "DELETE /cases/types/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/types/reorder": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "type_ids": {"type":"array","required":true},
    },
  },
  "DELETE /tags": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
    },
  },
  "PUT /tags/{id}": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
      "name": {"type":"string","required":true,"minLength":1,"maxLength":64},
    },
  },
  "DELETE /tags/{id}": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
    },
  },
  "POST /tags/{id}/merge": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
      "tag_ids": {"type":"array","required":true},
    },
  },
  "POST /views": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "visibility_type": {"type":"string","options":["ALL","SELF","TEAM"]},
      "team_ids": {"type":"array"},
      "columns": {"type":"array"},
      "predicate_collections": {"type":"array","nullable":true},
      "order_by_column": {"type":"string","maxLength":255},
      "order_by": {"type":"string","options":["ASC","DESC"]},
      "is_default": {"type":"boolean"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /views": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "PUT /views/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "visibility_type": {"type":"string","options":["ALL","SELF","TEAM"]},
      "team_ids": {"type":"array"},
      "columns": {"type":"array"},
      "predicate_collections": {"type":"array","nullable":true},
      "order_by_column": {"type":"string","maxLength":255},
      "order_by": {"type":"string","options":["ASC","DESC"]},
      "is_default": {"type":"boolean"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /views/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "PUT /views/reorder": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "case_views.manage",
    fields: {
      "view_ids": {"type":"array","required":true},
    },
  },
  "POST /cases/macros": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "visibility_type": {"type":"string","options":["PRIVATE","TEAM","ALL"]},
      "visible_to_team_id": {"type":"integer","nullable":true},
      "reply_type": {"type":"string","options":["REPLY","NOTE"]},
      "reply_contents": {"type":"string","nullable":true,"maxLength":65535},
      "assignee_type": {"type":"string","nullable":true,"options":["UNASSIGNED","CURRENT_AGENT","TEAM","AGENT"]},
      "assigned_team_id": {"type":"integer","nullable":true},
      "assigned_agent_id": {"type":"integer","nullable":true},
      "priority_id": {"type":"integer","nullable":true},
      "priority_action": {"type":"string","nullable":true,"options":["INCREASE_ONE_LEVEL","DECREASE_ONE_LEVEL"]},
      "status_id": {"type":"integer","nullable":true},
      "type_id": {"type":"integer","nullable":true},
      "add_tags": {"type":"array"},
      "remove_tags": {"type":"array"},
    },
  },
  "DELETE /cases/macros": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "PUT /cases/macros/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "visibility_type": {"type":"string","options":["PRIVATE","TEAM","ALL"]},
      "visible_to_team_id": {"type":"integer","nullable":true},
      "reply_type": {"type":"string","options":["REPLY","NOTE"]},
      "reply_contents": {"type":"string","nullable":true,"maxLength":65535},
      "assignee_type": {"type":"string","nullable":true,"options":["UNASSIGNED","CURRENT_AGENT","TEAM","AGENT"]},
      "assigned_team_id": {"type":"integer","nullable":true},
      "assigned_agent_id": {"type":"integer","nullable":true},
      "priority_id": {"type":"integer","nullable":true},
      "priority_action": {"type":"string","nullable":true,"options":["INCREASE_ONE_LEVEL","DECREASE_ONE_LEVEL"]},
      "status_id": {"type":"integer","nullable":true},
      "type_id": {"type":"integer","nullable":true},
      "add_tags": {"type":"array"},
      "remove_tags": {"type":"array"},
    },
  },
  "DELETE /cases/macros/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "POST /users": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "full_name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "email": {"type":"string","maxLength":255,"format":"email"},
      "phone": {"type":"string","maxLength":255},
      "password": {"type":"string","maxLength":1024,"format":"password"},
      "team_ids": {"type":"array"},
      "legacy_id": {"type":"string","nullable":true,"maxLength":255},
      "designation": {"type":"string","nullable":true,"maxLength":255},
      "role_id": {"type":"integer"},
      "agent_case_access": {"type":"string","nullable":true,"options":["SELF","TEAMS","ALL"]},
      "organization_case_access": {"type":"string","options":["REQUESTED","ORGANIZATION"]},
      "organization_id": {"type":"integer","nullable":true},
      "external_identifiers": {"type":"array","nullable":true},
      "addresses": {"type":"array","nullable":true},
      "websites": {"type":"array","nullable":true},
      "field_values": {"type":"object"},
      "tags": {"type":"array","nullable":true},
      "locale_id": {"type":"integer","nullable":true},
      "time_zone": {"type":"string","nullable":true,"maxLength":255},
      "signature": {"type":"string","nullable":true,"maxLength":4000},
    },
  },
  "DELETE /users": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "users.delete",
    fields: {
    },
  },
  "PUT /users/{id}": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "full_name": {"type":"string","minLength":1,"maxLength":255},
      "password": {"type":"string","maxLength":1024,"format":"password"},
      "team_ids": {"type":"array"},
      "legacy_id": {"type":"string","nullable":true,"maxLength":255},
      "designation": {"type":"string","nullable":true,"maxLength":255},
      "is_enabled": {"type":"boolean"},
      "role_id": {"type":"integer"},
      "agent_case_access": {"type":"string","nullable":true,"options":["SELF","TEAMS","ALL"]},
      "organization_case_access": {"type":"string","options":["REQUESTED","ORGANIZATION"]},
      "organization_id": {"type":"integer","nullable":true},
      "external_identifiers": {"type":"array","nullable":true},
      "addresses": {"type":"array","nullable":true},
      "websites": {"type":"array","nullable":true},
      "field_values": {"type":"object"},
      "tags": {"type":"array","nullable":true},
      "locale_id": {"type":"integer","nullable":true},
      "time_zone": {"type":"string","nullable":true,"maxLength":255},
      "greeting": {"type":"string","nullable":true,"maxLength":255},
      "signature": {"type":"string","nullable":true,"maxLength":4000},
      "status_message": {"type":"string","nullable":true,"maxLength":255},
    },
  },
  "DELETE /users/{id}": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "users.delete",
    fields: {
    },
  },
  "POST /users/invite": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "full_name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "email": {"type":"string","maxLength":255,"format":"email"},
      "phone": {"type":"string","maxLength":255},
      "password": {"type":"string","maxLength":1024,"format":"password"},
      "team_ids": {"type":"array"},
      "legacy_id": {"type":"string","nullable":true,"maxLength":255},
      "designation": {"type":"string","nullable":true,"maxLength":255},
      "role_id": {"type":"integer"},
      "agent_case_access": {"type":"string","nullable":true,"options":["SELF","TEAMS","ALL"]},
      "organization_case_access": {"type":"string","options":["REQUESTED","ORGANIZATION"]},
      "organization_id": {"type":"integer","nullable":true},
      "external_identifiers": {"type":"array","nullable":true},
      "addresses": {"type":"array","nullable":true},
      "websites": {"type":"array","nullable":true},
      "field_values": {"type":"object"},
      "tags": {"type":"array","nullable":true},
      "locale_id": {"type":"integer","nullable":true},
      "time_zone": {"type":"string","nullable":true,"maxLength":255},
      "signature": {"type":"string","nullable":true,"maxLength":4000},
    },
  },
  "POST /roles": {
    roles: ["ADMIN","OWNER"], permission: "roles.manage",
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "type": {"type":"string","required":true,"options":["ADMIN","AGENT"]},
      "agent_case_access": {"type":"string","options":["SELF","TEAMS","ALL"]},
    },
  },
  "DELETE /roles": {
    roles: ["ADMIN","OWNER"], permission: "roles.manage",
    fields: {
    },
  },
  "PUT /roles/{id}": {
    roles: ["ADMIN","OWNER"], permission: "roles.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "agent_case_access": {"type":"string","options":["SELF","TEAMS","ALL"]},
    },
  },
  "DELETE /roles/{id}": {
    roles: ["ADMIN","OWNER"], permission: "roles.manage",
    fields: {
    },
  },
  "POST /businesshours": {
    roles: ["ADMIN","OWNER"], permission: "business_hours.manage",
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "zones": {"type":"object","required":true},
      "holidays": {"type":"array"},
      "time_zone": {"type":"string","maxLength":255},
    },
  },
  "DELETE /businesshours": {
    roles: ["ADMIN","OWNER"], permission: "business_hours.manage",
    fields: {
    },
  },
  "PUT /businesshours/{id}": {
    roles: ["ADMIN","OWNER"], permission: "business_hours.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "zones": {"type":"object"},
      "holidays": {"type":"array"},
      "time_zone": {"type":"string","maxLength":255},
      "is_default": {"type":"boolean"},
    },
  },
  "DELETE /businesshours/{id}": {
    roles: ["ADMIN","OWNER"], permission: "business_hours.manage",
    fields: {
    },
  },
  "POST /triggers": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "channel": {"type":"string","nullable":true,"options":["API","MAIL","TWITTER","FACEBOOK","VOICE","MESSENGER","SYSTEM","HELPCENTER"]},
      "event": {"type":"string","nullable":true,"options":["SLA_BREACHED","TRIGGER","MONITOR","INCOMING_MAIL","MENTION","DIRECT_MESSAGE","SAVED_SEARCH","WALL_POST","MESSAGE"]},
      "is_enabled": {"type":"boolean"},
      "predicate_collections": {"type":"array","nullable":true},
      "actions": {"type":"array","required":true},
    },
  },
  "PUT /triggers": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "ids": {"type":"array"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /triggers": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
    },
  },
  "PUT /triggers/{id}": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "channel": {"type":"string","nullable":true,"options":["API","MAIL","TWITTER","FACEBOOK","VOICE","MESSENGER","SYSTEM","HELPCENTER"]},
      "event": {"type":"string","nullable":true,"options":["SLA_BREACHED","TRIGGER","MONITOR","INCOMING_MAIL","MENTION","DIRECT_MESSAGE","SAVED_SEARCH","WALL_POST","MESSAGE"]},
      "is_enabled": {"type":"boolean"},
      "predicate_collections": {"type":"array","nullable":true},
      "actions": {"type":"array"},
    },
  },
  "DELETE /triggers/{id}": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
    },
  },
  "PUT /triggers/reorder": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "trigger_ids": {"type":"array","required":true},
    },
  },
  "POST /monitors": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "is_enabled": {"type":"boolean"},
      "predicate_collections": {"type":"array","nullable":true},
      "actions": {"type":"array","required":true},
    },
  },
  "PUT /monitors": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "ids": {"type":"array"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /monitors": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
    },
  },
  "PUT /monitors/{id}": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "is_enabled": {"type":"boolean"},
      "predicate_collections": {"type":"array","nullable":true},
      "actions": {"type":"array"},
    },
  },
  "DELETE /monitors/{id}": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
    },
  },
  "PUT /monitors/reorder": {
    roles: ["ADMIN","OWNER"], permission: "automations.manage",
    fields: {
      "monitor_ids": {"type":"array","required":true},
    },
  },
  "POST /slas": {
    roles: ["ADMIN","OWNER"], permission: "slas.manage",
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "description": {"type":"string","nullable":true,"maxLength":5000},
      "is_enabled": {"type":"boolean"},
      "predicate_collections": {"type":"array","nullable":true},
      "targets": {"type":"array","required":true},
    },
  },
  "PUT /slas": {
    roles: ["ADMIN","OWNER"], permission: "slas.manage",
    fields: {
      "ids": {"type":"array"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /slas": {
    roles: ["ADMIN","OWNER"], permission: "slas.manage",
    fields: {
    },
  },
  "PUT /slas/{id}": {
    roles: ["ADMIN","OWNER"], permission: "slas.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "description": {"type":"string","nullable":true,"maxLength":5000},
      "is_enabled": {"type":"boolean"},
      "predicate_collections": {"type":"array","nullable":true},
      "targets": {"type":"array"},
    },
  },
  "DELETE /slas/{id}": {
    roles: ["ADMIN","OWNER"], permission: "slas.manage",
    fields: {
    },
  },
  "PUT /slas/reorder": {
    roles: ["ADMIN","OWNER"], permission: "slas.manage",
    fields: {
      "sla_ids": {"type":"array","required":true},
    },
  },
  "POST /cases/fields": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "type": {"type":"string","required":true,"options":["TEXT","TEXTAREA","CHECKBOX","RADIO","SELECT","DATE","FILE","NUMERIC","DECIMAL","YESNO","CASCADINGSELECT","REGEX","SUBJECT","REQUESTER","TEAM","ASSIGNEE","STATUS","TYPE","PRIORITY"]},
      "key": {"type":"string","maxLength":64},
      "titles": {"type":"array"},
      "title": {"type":"string","maxLength":255},
      "customer_titles": {"type":"array","nullable":true},
      "descriptions": {"type":"array","nullable":true},
      "options": {"type":"array","nullable":true},
      "is_required_for_agents": {"type":"boolean"},
      "is_required_on_resolution": {"type":"boolean"},
      "is_visible_to_customers": {"type":"boolean"},
      "is_customer_editable": {"type":"boolean"},
      "is_required_for_customers": {"type":"boolean"},
      "regular_expression": {"type":"string","nullable":true,"maxLength":1000},
      "sort_order": {"type":"integer","maximum":1000000},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /cases/fields": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/fields/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "type": {"type":"string","options":["TEXT","TEXTAREA","CHECKBOX","RADIO","SELECT","DATE","FILE","NUMERIC","DECIMAL","YESNO","CASCADINGSELECT","REGEX","SUBJECT","REQUESTER","TEAM","ASSIGNEE","STATUS","TYPE","PRIORITY"]},
      "titles": {"type":"array"},
      "title": {"type":"string","maxLength":255},
      "customer_titles": {"type":"array","nullable":true},
      "descriptions": {"type":"array","nullable":true},
      "options": {"type":"array","nullable":true},
      "is_required_for_agents": {"type":"boolean"},
      "is_required_on_resolution": {"type":"boolean"},
      "is_visible_to_customers": {"type":"boolean"},
      "is_customer_editable": {"type":"boolean"},
      "is_required_for_customers": {"type":"boolean"},
      "regular_expression": {"type":"string","nullable":true,"maxLength":1000},
      "sort_order": {"type":"integer","maximum":1000000},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /cases/fields/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/fields/reorder": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "case_field_ids": {"type":"array","required":true},
    },
  },
  "POST /users/fields": {
    roles: ["ADMIN","OWNER"], permission: "user_fields.manage",
    fields: {
      "type": {"type":"string","required":true,"options":["TEXT","TEXTAREA","CHECKBOX","RADIO","SELECT","DATE","FILE","NUMERIC","DECIMAL","YESNO","CASCADINGSELECT","REGEX","SUBJECT","REQUESTER","TEAM","ASSIGNEE","STATUS","TYPE","PRIORITY"]},
      "key": {"type":"string","maxLength":64},
      "titles": {"type":"array"},
      "title": {"type":"string","maxLength":255},
      "customer_titles": {"type":"array","nullable":true},
      "descriptions": {"type":"array","nullable":true},
      "options": {"type":"array","nullable":true},
      "is_required_for_agents": {"type":"boolean"},
      "is_required_on_resolution": {"type":"boolean"},
      "is_visible_to_customers": {"type":"boolean"},
      "is_customer_editable": {"type":"boolean"},
      "is_required_for_customers": {"type":"boolean"},
      "regular_expression": {"type":"string","nullable":true,"maxLength":1000},
      "sort_order": {"type":"integer","maximum":1000000},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /users/fields": {
    roles: ["ADMIN","OWNER"], permission: "user_fields.manage",
    fields: {
    },
  },
  "PUT /users/fields/{id}": {
    roles: ["ADMIN","OWNER"], permission: "user_fields.manage",
    fields: {
      "type": {"type":"string","options":["TEXT","TEXTAREA","CHECKBOX","RADIO","SELECT","DATE","FILE","NUMERIC","DECIMAL","YESNO","CASCADINGSELECT","REGEX","SUBJECT","REQUESTER","TEAM","ASSIGNEE","STATUS","TYPE","PRIORITY"]},
      "titles": {"type":"array"},
      "title": {"type":"string","maxLength":255},
      "customer_titles": {"type":"array","nullable":true},
      "descriptions": {"type":"array","nullable":true},
      "options": {"type":"array","nullable":true},
      "is_required_for_agents": {"type":"boolean"},
      "is_required_on_resolution": {"type":"boolean"},
      "is_visible_to_customers": {"type":"boolean"},
      "is_customer_editable": {"type":"boolean"},
      "is_required_for_customers": {"type":"boolean"},
      "regular_expression": {"type":"string","nullable":true,"maxLength":1000},
      "sort_order": {"type":"integer","maximum":1000000},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /users/fields/{id}": {
    roles: ["ADMIN","OWNER"], permission: "user_fields.manage",
    fields: {
    },
  },
  "PUT /users/fields/reorder": {
    roles: ["ADMIN","OWNER"], permission: "user_fields.manage",
    fields: {
      "user_field_ids": {"type":"array","required":true},
    },
  },
  "POST /organizations/fields": {
    roles: ["ADMIN","OWNER"], permission: "organizations_fields.manage",
    fields: {
      "type": {"type":"string","required":true,"options":["TEXT","TEXTAREA","CHECKBOX","RADIO","SELECT","DATE","FILE","NUMERIC","DECIMAL","YESNO","CASCADINGSELECT","REGEX","SUBJECT","REQUESTER","TEAM","ASSIGNEE","STATUS","TYPE","PRIORITY"]},
      "key": {"type":"string","maxLength":64},
      "titles": {"type":"array"},
      "title": {"type":"string","maxLength":255},
      "customer_titles": {"type":"array","nullable":true},
      "descriptions": {"type":"array","nullable":true},
      "options": {"type":"array","nullable":true},
      "is_required_for_agents": {"type":"boolean"},
      "is_required_on_resolution": {"type":"boolean"},
      "is_visible_to_customers": {"type":"boolean"},
      "is_customer_editable": {"type":"boolean"},
      "is_required_for_customers": {"type":"boolean"},
      "regular_expression": {"type":"string","nullable":true,"maxLength":1000},
      "sort_order": {"type":"integer","maximum":1000000},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /organizations/fields": {
    roles: ["ADMIN","OWNER"], permission: "organizations_fields.manage",
    fields: {
    },
  },
  "PUT /organizations/fields/{id}": {
    roles: ["ADMIN","OWNER"], permission: "organizations_fields.manage",
    fields: {
      "type": {"type":"string","options":["TEXT","TEXTAREA","CHECKBOX","RADIO","SELECT","DATE","FILE","NUMERIC","DECIMAL","YESNO","CASCADINGSELECT","REGEX","SUBJECT","REQUESTER","TEAM","ASSIGNEE","STATUS","TYPE","PRIORITY"]},
      "titles": {"type":"array"},
      "title": {"type":"string","maxLength":255},
      "customer_titles": {"type":"array","nullable":true},
      "descriptions": {"type":"array","nullable":true},
      "options": {"type":"array","nullable":true},
      "is_required_for_agents": {"type":"boolean"},
      "is_required_on_resolution": {"type":"boolean"},
      "is_visible_to_customers": {"type":"boolean"},
      "is_customer_editable": {"type":"boolean"},
      "is_required_for_customers": {"type":"boolean"},
      "regular_expression": {"type":"string","nullable":true,"maxLength":1000},
      "sort_order": {"type":"integer","maximum":1000000},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /organizations/fields/{id}": {
    roles: ["ADMIN","OWNER"], permission: "organizations_fields.manage",
    fields: {
    },
  },
  "PUT /organizations/fields/reorder": {
    roles: ["ADMIN","OWNER"], permission: "organizations_fields.manage",
    fields: {
      "organization_field_ids": {"type":"array","required":true},
    },
  },
  "POST /cases/forms": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "is_visible_to_customers": {"type":"boolean"},
      "customer_titles": {"type":"array","nullable":true},
      "customer_title": {"type":"string","maxLength":255},
      "descriptions": {"type":"array","nullable":true},
      "description": {"type":"string","maxLength":65535},
      "is_enabled": {"type":"boolean"},
      "case_field_ids": {"type":"array"},
      "brand_id": {"type":"integer","nullable":true},
    },
  },
  "PUT /cases/forms/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "is_visible_to_customers": {"type":"boolean"},
      "customer_titles": {"type":"array","nullable":true},
      "customer_title": {"type":"string","maxLength":255},
      "descriptions": {"type":"array","nullable":true},
      "description": {"type":"string","maxLength":65535},
      "is_enabled": {"type":"boolean"},
      "case_field_ids": {"type":"array"},
      "brand_id": {"type":"integer","nullable":true},
    },
  },
  "DELETE /cases/forms/{id}": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
    },
  },
  "PUT /cases/forms/reorder": {
    roles: ["ADMIN","OWNER"], permission: "case_fields.manage",
    fields: {
      "form_ids": {"type":"array","required":true},
    },
  },
  "POST /endpoints": {
    roles: ["ADMIN","OWNER"], permission: "endpoints.manage",
    fields: {
      "title": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "type": {"type":"string","required":true,"options":["EMAIL","SLACK","HTTP"]},
      "is_enabled": {"type":"boolean"},
      "attributes": {"type":"object"},
    },
  },
  "DELETE /endpoints": {
    roles: ["ADMIN","OWNER"], permission: "endpoints.manage",
    fields: {
    },
  },
  "PUT /endpoints/{id}": {
    roles: ["ADMIN","OWNER"], permission: "endpoints.manage",
    fields: {
      "title": {"type":"string","minLength":1,"maxLength":255},
      "is_enabled": {"type":"boolean"},
      "attributes": {"type":"object"},
    },
  },
  "DELETE /endpoints/{id}": {
    roles: ["ADMIN","OWNER"], permission: "endpoints.manage",
    fields: {
    },
  },
  "POST /endpoints/{id}/secret": {
    roles: ["ADMIN","OWNER"], permission: "endpoints.manage",
    fields: {
      "former_hours": {"type":"integer","maximum":168},
    },
  },
  "POST /endpoints/{id}/test": {
    roles: ["ADMIN","OWNER"], permission: "endpoints.manage",
    fields: {
    },
  },
  "POST /events/tokens": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
      "label": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "description": {"type":"string","nullable":true,"maxLength":65535},
      "channel": {"type":"string","maxLength":64},
      "icon_file_id": {"type":"integer","nullable":true},
      "is_enabled": {"type":"boolean"},
    },
  },
  "PUT /events/tokens": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
      "ids": {"type":"array"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /events/tokens": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
    },
  },
  "PUT /events/tokens/{id}": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
      "label": {"type":"string","minLength":1,"maxLength":255},
      "description": {"type":"string","nullable":true,"maxLength":65535},
      "icon_file_id": {"type":"integer","nullable":true},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /events/tokens/{id}": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
    },
  },
  "POST /oauth/clients": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
      "name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "url": {"type":"string","nullable":true,"maxLength":2048},
      "scopes": {"type":"array"},
      "description": {"type":"string","nullable":true,"maxLength":1000},
      "author": {"type":"string","nullable":true,"maxLength":255},
      "author_url": {"type":"string","nullable":true,"maxLength":2048},
      "callback_url": {"type":"string","nullable":true,"maxLength":2048},
      "is_public": {"type":"boolean"},
      "is_password_grant_enabled": {"type":"boolean"},
      "logo_file_id": {"type":"integer","nullable":true},
    },
  },
  "DELETE /oauth/clients": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
    },
  },
  "PUT /oauth/clients/{id}": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
      "name": {"type":"string","minLength":1,"maxLength":255},
      "url": {"type":"string","nullable":true,"maxLength":2048},
      "scopes": {"type":"array"},
      "description": {"type":"string","nullable":true,"maxLength":1000},
      "author": {"type":"string","nullable":true,"maxLength":255},
      "author_url": {"type":"string","nullable":true,"maxLength":2048},
      "callback_url": {"type":"string","nullable":true,"maxLength":2048},
      "is_public": {"type":"boolean"},
      "is_password_grant_enabled": {"type":"boolean"},
      "logo_file_id": {"type":"integer","nullable":true},
    },
  },
  "DELETE /oauth/clients/{id}": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
    },
  },
  "POST /oauth/clients/{id}/secret": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
    },
  },
  "DELETE /oauth/grants": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
    },
  },
  "DELETE /oauth/grants/{id}": {
    roles: ["ADMIN","OWNER"], permission: "apps.manage",
    fields: {
    },
  },
  "POST /users/{id}/erase": {
    roles: ["ADMIN","OWNER"], permission: "users.delete",
    fields: {
      "contents": {"type":"boolean"},
    },
  },
  "POST /users/{id}/notes": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "contents": {"type":"string","required":true,"minLength":1,"maxLength":524288},
      "is_pinned": {"type":"boolean"},
      "is_html": {"type":"boolean"},
      "color": {"type":"string","options":["YELLOW","BLUE","GREEN","RED","ORANGE","PURPLE","PINK","GRAY","WHITE"]},
      "attachment_file_ids": {"type":"array"},
      "article_ids": {"type":"array"},
    },
  },
  "PUT /users/{id}/notes/{note_id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "contents": {"type":"string","minLength":1,"maxLength":524288},
      "is_pinned": {"type":"boolean"},
      "is_html": {"type":"boolean"},
    },
  },
  "DELETE /users/{id}/notes/{note_id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "POST /identities/twitter": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "user_id": {"type":"integer","required":true},
      "screen_name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "is_validated": {"type":"boolean"},
    },
  },
  "DELETE /identities/twitter": {
    roles: ["ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "PUT /identities/twitter/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "is_primary": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
    },
  },
  "DELETE /identities/twitter/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "DELETE /identities/facebook": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "PUT /identities/facebook/{id}": {
    roles: ["ADMIN","OWNER"], permission: "users.update",
    fields: {
      "is_primary": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
    },
  },
  "DELETE /identities/facebook/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "POST /organizations": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "organizations.update",
    fields: {
      "name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "legacy_id": {"type":"string","nullable":true,"maxLength":255},
      "is_shared": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
      "domains": {"type":"array","nullable":true},
      "phones": {"type":"array","nullable":true},
      "addresses": {"type":"array","nullable":true},
      "websites": {"type":"array","nullable":true},
      "field_values": {"type":"object"},
      "tags": {"type":"array","nullable":true},
    },
  },
  "DELETE /organizations": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "organizations.delete",
    fields: {
    },
  },
  "PUT /organizations/{id}": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "organizations.update",
    fields: {
      "name": {"type":"string","minLength":1,"maxLength":255},
      "legacy_id": {"type":"string","nullable":true,"maxLength":255},
      "is_shared": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
      "domains": {"type":"array","nullable":true},
      "phones": {"type":"array","nullable":true},
      "addresses": {"type":"array","nullable":true},
      "websites": {"type":"array","nullable":true},
      "field_values": {"type":"object"},
      "tags": {"type":"array","nullable":true},
    },
  },
  "DELETE /organizations/{id}": {
    roles: ["AGENT","ADMIN","OWNER"], permission: "organizations.delete",
    fields: {
    },
  },
  "POST /identities/emails": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "user_id": {"type":"integer","required":true},
      "email": {"type":"string","required":true,"minLength":1,"maxLength":255,"format":"email"},
      "is_primary": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
      "is_notification_enabled": {"type":"boolean"},
    },
  },
  "DELETE /identities/emails": {
    roles: ["ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "PUT /identities/emails/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "is_primary": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
      "is_notification_enabled": {"type":"boolean"},
    },
  },
  "DELETE /identities/emails/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "POST /identities/phones": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "user_id": {"type":"integer","required":true},
      "number": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "is_primary": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
    },
  },
  "DELETE /identities/phones": {
    roles: ["ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "PUT /identities/phones/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
      "is_primary": {"type":"boolean"},
      "is_validated": {"type":"boolean"},
    },
  },
  "DELETE /identities/phones/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "POST /csv_imports": {
    roles: ["ADMIN","OWNER"], permission: "users.update",
    fields: {
      "kind": {"type":"string","required":true,"options":["USERS","ORGANIZATIONS"]},
      "file_id": {"type":"integer","required":true},
      "encoding": {"type":"string","options":["UTF_8","UTF_16","WINDOWS_1252"]},
      "delimiter": {"type":"string","options":["COMMA","SEMICOLON","TAB"]},
      "mapping": {"type":"object"},
      "existing": {"type":"string","options":["UPDATE","SKIP"]},
      "is_dry_run": {"type":"boolean"},
    },
  },
  "DELETE /csv_imports/{id}": {
    roles: ["ADMIN","OWNER"], permission: "users.update",
    fields: {
    },
  },
  "PUT /profile": {
    roles: ["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "full_name": {"type":"string","minLength":1,"maxLength":255},
      "designation": {"type":"string","nullable":true,"maxLength":255},
      "avatar_file_id": {"type":"integer"},
      "field_values": {"type":"object"},
      "locale_id": {"type":"integer","nullable":true},
      "time_zone": {"type":"string","nullable":true,"maxLength":255},
      "signature": {"type":"string","nullable":true,"maxLength":4000},
    },
  },
  "PUT /profile/password": {
    roles: ["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER","X-TOKE"], permission: null,
    fields: {
      "password": {"type":"string","required":true,"minLength":1,"maxLength":1024,"format":"password"},
      "new_password": {"type":"string","required":true,"minLength":1,"maxLength":1024,"format":"password"},
    },
  },
  "POST /profile/api_tokens": {
    roles: ["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "scopes": {"type":"array"},
      "expires_at": {"type":"string","nullable":true,"format":"date-time"},
    },
  },
  "DELETE /profile/api_tokens": {
    roles: ["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "PUT /profile/api_tokens/{id}": {
    roles: ["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
      "name": {"type":"string","minLength":1,"maxLength":255},
      "scopes": {"type":"array"},
      "expires_at": {"type":"string","nullable":true,"format":"date-time"},
    },
  },
  "DELETE /profile/api_tokens/{id}": {
    roles: ["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "POST /signin/providers": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
      "name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "issuer": {"type":"string","required":true,"minLength":1,"maxLength":1024},
      "client_id": {"type":"string","required":true,"minLength":1,"maxLength":500},
      "client_secret": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "scopes": {"type":"string","maxLength":255},
      "button_label": {"type":"string","nullable":true,"maxLength":80},
      "email_domains": {"type":"string","nullable":true,"maxLength":2000},
      "is_enabled": {"type":"boolean"},
      "is_for_staff": {"type":"boolean"},
      "is_for_customers": {"type":"boolean"},
      "creates_people": {"type":"boolean"},
      "updates_people": {"type":"boolean"},
      "counts_as_two_factors": {"type":"boolean"},
      "highest_role": {"type":"string","options":["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"]},
      "role_id": {"type":"integer","required":true},
      "rules": {"type":"array"},
    },
  },
  "PUT /signin/providers/{id}": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
      "name": {"type":"string","minLength":1,"maxLength":255},
      "client_id": {"type":"string","minLength":1,"maxLength":500},
      "client_secret": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "scopes": {"type":"string","maxLength":255},
      "button_label": {"type":"string","nullable":true,"maxLength":80},
      "email_domains": {"type":"string","nullable":true,"maxLength":2000},
      "is_enabled": {"type":"boolean"},
      "is_for_staff": {"type":"boolean"},
      "is_for_customers": {"type":"boolean"},
      "creates_people": {"type":"boolean"},
      "updates_people": {"type":"boolean"},
      "counts_as_two_factors": {"type":"boolean"},
      "highest_role": {"type":"string","options":["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"]},
      "role_id": {"type":"integer"},
      "rules": {"type":"array"},
    },
  },
  "DELETE /signin/providers/{id}": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
    },
  },
  "DELETE /signin/links/{id}": {
    roles: ["COLLABORATOR","AGENT","ADMIN","OWNER"], permission: null,
    fields: {
    },
  },
  "POST /mailboxes": {
    roles: ["ADMIN","OWNER"], permission: "channels.manage",
    fields: {
      "address": {"type":"string","required":true,"minLength":1,"maxLength":254},
      "name": {"type":"string","nullable":true,"maxLength":255},
      "brand_id": {"type":"integer"},
      "team_id": {"type":"integer","nullable":true},
      "is_enabled": {"type":"boolean"},
      "imap_host": {"type":"string","nullable":true,"maxLength":253},
      "imap_port": {"type":"integer","nullable":true,"maximum":65535},
      "imap_security": {"type":"string","nullable":true,"options":["NONE","STARTTLS","TLS"]},
      "imap_user": {"type":"string","nullable":true,"maxLength":255},
      "imap_password": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "imap_folder": {"type":"string","nullable":true,"maxLength":255},
      "imap_after": {"type":"string","nullable":true,"maxLength":255},
      "smtp_host": {"type":"string","nullable":true,"maxLength":253},
      "smtp_port": {"type":"integer","nullable":true,"maximum":65535},
      "smtp_security": {"type":"string","nullable":true,"options":["NONE","STARTTLS","TLS"]},
      "smtp_user": {"type":"string","nullable":true,"maxLength":255},
      "smtp_password": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "oauth_provider": {"type":"string","nullable":true,"options":["GOOGLE","MICROSOFT","GENERIC"]},
      "oauth_client_id": {"type":"string","nullable":true,"maxLength":500},
      "oauth_client_secret": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "oauth_authorization_url": {"type":"string","nullable":true,"maxLength":1000},
      "oauth_token_url": {"type":"string","nullable":true,"maxLength":1000},
      "oauth_issuer": {"type":"string","nullable":true,"maxLength":1000},
      "oauth_scopes": {"type":"string","nullable":true,"maxLength":1000},
    },
  },
  "DELETE /mailboxes": {
    roles: ["ADMIN","OWNER"], permission: "channels.manage",
    fields: {
    },
  },
  "PUT /mailboxes/{id}": {
    roles: ["ADMIN","OWNER"], permission: "channels.manage",
    fields: {
      "name": {"type":"string","nullable":true,"maxLength":255},
      "brand_id": {"type":"integer"},
      "team_id": {"type":"integer","nullable":true},
      "is_enabled": {"type":"boolean"},
      "imap_host": {"type":"string","nullable":true,"maxLength":253},
      "imap_port": {"type":"integer","nullable":true,"maximum":65535},
      "imap_security": {"type":"string","nullable":true,"options":["NONE","STARTTLS","TLS"]},
      "imap_user": {"type":"string","nullable":true,"maxLength":255},
      "imap_password": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "imap_folder": {"type":"string","nullable":true,"maxLength":255},
      "imap_after": {"type":"string","nullable":true,"maxLength":255},
      "smtp_host": {"type":"string","nullable":true,"maxLength":253},
      "smtp_port": {"type":"integer","nullable":true,"maximum":65535},
      "smtp_security": {"type":"string","nullable":true,"options":["NONE","STARTTLS","TLS"]},
      "smtp_user": {"type":"string","nullable":true,"maxLength":255},
      "smtp_password": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "oauth_provider": {"type":"string","nullable":true,"options":["GOOGLE","MICROSOFT","GENERIC"]},
      "oauth_client_id": {"type":"string","nullable":true,"maxLength":500},
      "oauth_client_secret": {"type":"string","nullable":true,"maxLength":1024,"format":"password"},
      "oauth_authorization_url": {"type":"string","nullable":true,"maxLength":1000},
      "oauth_token_url": {"type":"string","nullable":true,"maxLength":1000},
      "oauth_issuer": {"type":"string","nullable":true,"maxLength":1000},
      "oauth_scopes": {"type":"string","nullable":true,"maxLength":1000},
    },
  },
  "DELETE /mailboxes/{id}": {
    roles: ["ADMIN","OWNER"], permission: "channels.manage",
    fields: {
    },
  },
  "POST /brands": {
    roles: ["ADMIN","OWNER"], permission: "brands.manage",
    fields: {
      "name": {"type":"string","required":true,"minLength":1,"maxLength":255},
      "sub_domain": {"type":"string","nullable":true,"maxLength":255},
      "domain": {"type":"string","nullable":true,"maxLength":255},
      "is_domain_trusted": {"type":"boolean"},
      "locale_id": {"type":"integer"},
      "time_zone": {"type":"string","nullable":true,"maxLength":255},
      "color": {"type":"string","nullable":true,"maxLength":255},
      "theme": {"type":"string","options":["BOLD","CALM","PAPER"]},
      "logo_file_id": {"type":"integer","nullable":true},
      "picture_file_id": {"type":"integer","nullable":true},
      "is_default": {"type":"boolean"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /brands": {
    roles: ["ADMIN","OWNER"], permission: "brands.manage",
    fields: {
    },
  },
  "PUT /brands/{id}": {
    roles: ["ADMIN","OWNER"], permission: "brands.manage",
    fields: {
      "name": {"type":"string","minLength":1,"maxLength":255},
      "sub_domain": {"type":"string","nullable":true,"maxLength":255},
      "domain": {"type":"string","nullable":true,"maxLength":255},
      "is_domain_trusted": {"type":"boolean"},
      "locale_id": {"type":"integer"},
      "time_zone": {"type":"string","nullable":true,"maxLength":255},
      "color": {"type":"string","nullable":true,"maxLength":255},
      "theme": {"type":"string","options":["BOLD","CALM","PAPER"]},
      "logo_file_id": {"type":"integer","nullable":true},
      "picture_file_id": {"type":"integer","nullable":true},
      "is_default": {"type":"boolean"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "DELETE /brands/{id}": {
    roles: ["ADMIN","OWNER"], permission: "brands.manage",
    fields: {
    },
  },
  "PUT /brands/{id}/templates/{name}": {
    roles: ["ADMIN","OWNER"], permission: "brands.manage",
    fields: {
      "contents": {"type":"string","required":true,"minLength":1,"maxLength":65536},
    },
  },
  "PUT /locales/{id}": {
    roles: ["ADMIN","OWNER"], permission: "localization.manage",
    fields: {
      "is_public": {"type":"boolean"},
      "is_enabled": {"type":"boolean"},
    },
  },
  "PUT /settings": {
    roles: ["ADMIN","OWNER"], permission: "settings.manage",
    fields: {
      "values": {"type":"object","required":true},
    },
  },
} as const;
export const ranksOf = {
  "apps.manage": ["ADMIN","OWNER"],
  "automations.manage": ["ADMIN","OWNER"],
  "brands.manage": ["ADMIN","OWNER"],
  "business_hours.manage": ["ADMIN","OWNER"],
  "case_fields.manage": ["ADMIN","OWNER"],
  "case_views.manage": ["AGENT","ADMIN","OWNER"],
  "cases.merge": ["AGENT","ADMIN","OWNER"],
  "cases.public_reply": ["CUSTOMER","COLLABORATOR","AGENT","ADMIN","OWNER"],
  "cases.split": ["AGENT","ADMIN","OWNER"],
  "cases.trash": ["AGENT","ADMIN","OWNER"],
  "channels.manage": ["ADMIN","OWNER"],
  "endpoints.manage": ["ADMIN","OWNER"],
  "help_center.manage": ["AGENT","ADMIN","OWNER"],
  "help_center_articles.manage": ["AGENT","ADMIN","OWNER"],
  "insights.access": ["COLLABORATOR","AGENT","ADMIN","OWNER"],
  "localization.manage": ["ADMIN","OWNER"],
  "organizations.delete": ["AGENT","ADMIN","OWNER"],
  "organizations.update": ["AGENT","ADMIN","OWNER"],
  "organizations_fields.manage": ["ADMIN","OWNER"],
  "roles.manage": ["ADMIN","OWNER"],
  "settings.manage": ["ADMIN","OWNER"],
  "slas.manage": ["ADMIN","OWNER"],
  "teams.manage": ["ADMIN","OWNER"],
  "user_fields.manage": ["ADMIN","OWNER"],
  "users.delete": ["AGENT","ADMIN","OWNER"],
  "users.update": ["COLLABORATOR","AGENT","ADMIN","OWNER"],
} as const;
