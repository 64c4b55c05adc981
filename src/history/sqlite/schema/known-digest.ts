/** Digest of the schema that the migrations make, so that it need not be made to be compared with. A test holds it. */
export const knownSchemaDigest = '90198c84309978efe46ad6b9f848188d5205c62e16898c525dabf4c47630fe8e'
