// Prints the code of an authenticator, as `oathtool --totp -b SECRET` does, at a time of the test. Arguments: secret, milliseconds.
import { totp } from './totp.mjs';

const [secret, time] = process.argv.slice(2);
console.log(totp(secret, Number(time)));
