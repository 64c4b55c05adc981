/** Digest of the schema that the migrations make, so that it need not be made to be compared with. A test holds it. */
export const knownSchemaDigest = '744864fa55214a155ff535a4ed2ff2e70214d10cbbd305f212fe2d94bb9b5ca4'
