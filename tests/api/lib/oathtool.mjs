// Prints the code of an authenticator like `oathtool --totp -b SECRET`, at a time of the test. Arguments: secret, milliseconds.
import { totp } from './totp.mjs';

const [secret, time] = process.argv.slice(2);
console.log(totp(secret, Number(time)));
