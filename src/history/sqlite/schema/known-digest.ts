/** Digest of the schema that the migrations make, so that a comparison need not make it. A test keeps it current. */
export const knownSchemaDigest = 'f868a0ab754a606c4d006ec98a3800ea28f2dc29bc31f6837f20ac231770f7b0'
