// Requests that need the password or a code again. A wrong one is answered 401, which otherwise means that the session has ended.
import { ask, call, Refused, type Reply } from '../../../kit/api';
import { say } from '../words';

const WRONG = 'AUTHENTICATION_FAILED';

export const callWithProof = async (method: string, path: string, body: object): Promise<Reply> => {
  const reply = await ask(method, path, { body }), code = reply.errors?.[0]?.code;
  if (reply.status < 400) return reply;
  if (code === WRONG || ![401, 403, 454].includes(reply.status)) throw new Refused(reply);
  return call(method, path, { body }); // the session, or its token, is renewed
};

/** Why such a request was refused. */
export const proofRefused = (error: unknown) =>
  (!(error instanceof Refused) ? say('no_answer') : error.code === WRONG ? say('proof_wrong') : error.code === 'ANY_FIELD_REQUIRED' ? say('proof_missing') : error.message);
