import fc from 'fast-check'

/** Any character. The unit `binary` of fast-check makes a table of all of them first, for each arbitrary that uses it. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
