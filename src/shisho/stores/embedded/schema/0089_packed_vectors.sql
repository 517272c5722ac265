-- A vector takes 12 bits per component, after the value of a step: see `packed_vectors.py`. The files of vectors are made anew.
UPDATE embeddings SET vector = pack_vector(vector);
