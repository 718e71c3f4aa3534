-- The deletion of an OAuth client in parts (core/desk/cascade.c). A part deletes the next tokens of the client in the order of their ids.
ALTER TABLE oauth_clients ADD COLUMN deleted_at BIGINT; -- a cascade is deleting its tokens, codes and grants
CREATE INDEX oauth_clients_gone ON oauth_clients (id) WHERE deleted_at IS NOT NULL;
DROP INDEX oauth_tokens_of_client;
CREATE INDEX oauth_tokens_of_client ON oauth_tokens (client_id, id);
