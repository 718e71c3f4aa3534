/** A text with visible characters only: control characters except line ends become \xNN or \u{...}. */
export const printable = (text) => text.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (c) => {
  const code = c.codePointAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
});
