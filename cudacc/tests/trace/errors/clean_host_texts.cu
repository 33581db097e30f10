// The host prints, compares, reads and writes its copies, managed memory that it has waited for,
// and addresses of the device
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

int write = 1; // names of functions that no header here has
__device__ int read;

__global__ void spell(char *text, int n) {
    text[threadIdx.x] = (int)threadIdx.x < n ? 'a' + threadIdx.x : 0;
    if (threadIdx.x == 0) {
        printf("%s and %.*s\n", text[0] ? "spelled" : "empty", 1, "more");
        read = n;
    }
}

int main(void) {
    char *d_text, *m_text, *h_text, text[32], more[64] = "";
    char *none = NULL;
    int wrong = 0, n;
    cudaMalloc(&d_text, 32);
    cudaMallocManaged(&m_text, 32);
    cudaMallocHost(&h_text, 32);
    spell<<<1, 32>>>(d_text, 26);
    spell<<<1, 32>>>(m_text, 26);
    cudaMemcpy(text, d_text, 32, cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(h_text, d_text, 32, cudaMemcpyDeviceToHost, 0);
    cudaMemcpyFromSymbol(&n, read, sizeof n);
    cudaDeviceSynchronize();
    printf("%d%% of %5.1f, %-4ld|%+lld|%zu|%c|%hhd|%Lf|%#x: %s, %.*s, %.3s\n", 100, 26.0, 1L, 2LL,
           strlen(text), 'x', 3, 4.0L, 5, text, 0, d_text, text);
    printf("%p is %p, %*d\n", (void *)d_text, (void *)&none, 5, 6);
    wrong += strcmp(text, m_text) != 0 || strncmp(text, h_text, 5) != 0;
    wrong += memcmp(text, h_text, 32) != 0;
    wrong += snprintf(NULL, 0, "%s and %s", text, m_text) != 57;
    wrong += snprintf(more, sizeof more, "%p", (void *)d_text) < 3;
    wrong += sprintf(more, "%s", h_text) != 26;
    strcat(strcpy(more, text), m_text);
    strncpy(more, h_text, 32);
    puts(m_text);
    fputs(more, stdout);
    fprintf(stderr, "%s", "");
    wrong += fwrite(m_text, 1, 26, stdout) != 26;
    FILE *f = tmpfile();
    if (f) {
        wrong += fwrite(text, 1, 32, f) != 32;
        rewind(f);
        wrong += fread(m_text, 1, 32, f) != 32;
        rewind(f);
        wrong += !fgets(h_text, 27, f);
        fclose(f);
    }
    wrong += strcmp(m_text, h_text) != 0;
    cudaFree(d_text);
    cudaFree(m_text);
    cudaFreeHost(h_text);
    return wrong || n != 26 || write != 1;
}
