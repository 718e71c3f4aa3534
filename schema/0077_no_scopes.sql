-- An empty list of scopes means no scope. Before, it meant all: those clients keep what they could do (the write bits of core/access/scope.c).
UPDATE oauth_clients SET scopes = 682 WHERE scopes = 0;
