// SPDX-License-Identifier: Apache-2.0
#include "cuda_load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/env.h"

static const char driver_name[] = "libcuda.so.1";

// By major version, newest first. NVRTC kept one name from 11.2 on.
static const struct {
    int major;
    const char *name;
} nvrtc_names[] = {{13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}};

#define DRIVER_SYMBOL(result, name, arguments) {#name, offsetof(struct cuda_driver, name)},
#define NVRTC_SYMBOL(result, name, arguments)  {#name, offsetof(struct cuda_nvrtc, name)},
static const struct cuda_symbol driver_symbols[] = {CUDA_DRIVER_CALLS(DRIVER_SYMBOL)};
static const struct cuda_symbol graph_symbols[] = {CUDA_GRAPH_CALLS(DRIVER_SYMBOL)};
static const struct cuda_symbol nvrtc_symbols[] = {CUDA_NVRTC_CALLS(NVRTC_SYMBOL)};

static void *open_library(const char *folder, size_t length, const char *name)
{
    char path[4096];
    int used = length ? snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name)
                      : snprintf(path, sizeof path, "%s", name);

    if (used < 0 || (size_t)used >= sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

// Looks in the folders of KOINE_CUDA_LIBRARIES if that is set; else where the system looks, then in the
// toolkit's folder.
static void *find_library(const char *name, bool in_toolkit)
{
    const char *folders = ki_env_get(KI_ENV_CUDA_LIBRARIES);
    const char *home = getenv("CUDA_HOME");
    char toolkit[4096];
    void *library = NULL;

    if (folders) {
        while (*folders && !library) {
            size_t length = strcspn(folders, ":");
            if (length)
                library = open_library(folders, length, name);
            folders += length + (folders[length] == ':');
        }
        return library;
    }
    library = open_library("", 0, name);
    if (!library && in_toolkit && home && *home) {
        int used = snprintf(toolkit, sizeof toolkit, "%s/lib64", home);
        if (used > 0 && (size_t)used < sizeof toolkit)
            library = open_library(toolkit, (size_t)used, name);
    }
    if (!library && in_toolkit)
        library = open_library("/usr/local/cuda/lib64", strlen("/usr/local/cuda/lib64"), name);
    return library;
}

// Where find_library looks for the toolkit's libraries.
static const char *folders_searched(void)
{
    return ki_env_get(KI_ENV_CUDA_LIBRARIES)
               ? "KOINE_CUDA_LIBRARIES"
               : "the system's folders, $CUDA_HOME/lib64 and /usr/local/cuda/lib64";
}

// Fills in the function pointers of `object`; NULL, or the name of the first that is missing.
static const char *bind(void *library, void *object, const struct cuda_symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address)
            return symbols[i].name;
        memcpy((char *)object + symbols[i].member, &address, sizeof address);
    }
    return NULL;
}

static bool refuse_init(const struct cuda_driver *driver, CUresult code, char why[CUDA_WHY_BYTES])
{
    const char *name = NULL;

    if (code == CUDA_ERROR_STUB_LIBRARY) {
        snprintf(why, CUDA_WHY_BYTES, "%s is the toolkit's stub, not NVIDIA's driver", driver_name);
    } else if (code == CUDA_ERROR_NO_DEVICE) {
        snprintf(why, CUDA_WHY_BYTES, "NVIDIA's driver is installed, but finds no GPU");
    } else {
        if (driver->cuGetErrorName(code, &name) != CUDA_SUCCESS || !name)
            name = "CUDA error";
        snprintf(why, CUDA_WHY_BYTES, "NVIDIA's driver does not start: cuInit: %s (%d)%s", name, code,
                 code == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
                     ? "; the kernel module and libcuda are of different versions (reboot after an update)"
                     : "");
    }
    return false;
}

bool ki_cuda_driver_load(struct cuda_driver *driver, char why[CUDA_WHY_BYTES])
{
    const char *missing;
    CUresult code;

    memset(driver, 0, sizeof *driver);
    driver->library = find_library(driver_name, false);
    if (!driver->library) {
        snprintf(why, CUDA_WHY_BYTES, "no NVIDIA driver (%s not found)", driver_name);
        return false;
    }
    missing = bind(driver->library, driver, driver_symbols, KI_COUNT(driver_symbols));
    if (missing) {
        snprintf(why, CUDA_WHY_BYTES, "NVIDIA's driver is too old: its %s has no %s", driver_name, missing);
        ki_cuda_driver_unload(driver);
        return false;
    }
    driver->no_graphs = bind(driver->library, driver, graph_symbols, KI_COUNT(graph_symbols));
    code = driver->cuInit(0);
    if (code != CUDA_SUCCESS) {
        refuse_init(driver, code, why);
        ki_cuda_driver_unload(driver);
        return false;
    }
    return true;
}

void ki_cuda_driver_unload(struct cuda_driver *driver)
{
    if (driver->library)
        dlclose(driver->library);
    memset(driver, 0, sizeof *driver);
}

// ---- cuBLAS, cuFFT ----

static kn_status refuse_toolkit(const struct cuda_toolkit *toolkit, int newest, kn_error *err)
{
    char names[CUDA_WHY_BYTES] = "";
    int oldest = 0;

    for (size_t i = 0; i < KI_COUNT(toolkit->files) && toolkit->files[i].name; i++) {
        size_t used = strlen(names);
        oldest = toolkit->files[i].major;
        if (oldest <= newest)
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", toolkit->files[i].name);
    }
    if (!names[0])
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: the driver is of CUDA %d; the %s that Koine calls needs %d or newer",
                       toolkit->name, newest, toolkit->name, oldest);
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "%s: %s not found (looked in %s); install the CUDA toolkit's %s", toolkit->name, names,
                   folders_searched(), toolkit->name);
}

kn_status ki_cuda_toolkit_load(const struct cuda_toolkit *toolkit, int newest, void **library, void *calls,
                               kn_error *err)
{
    const char *missing, *name = NULL;

    *library = NULL;
    for (size_t i = 0; i < KI_COUNT(toolkit->files) && toolkit->files[i].name && !*library; i++)
        if (toolkit->files[i].major <= newest)
            *library = find_library(name = toolkit->files[i].name, true);
    if (!*library)
        return refuse_toolkit(toolkit, newest, err);
    missing = bind(*library, calls, toolkit->symbols, toolkit->symbol_count);
    return missing ? ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: %s has no %s: it is not one that Koine knows",
                             toolkit->name, name, missing)
                   : KN_OK;
}

kn_status ki_cuda_toolkit_find(const struct cuda_toolkit *toolkit, void *calls, kn_error *err)
{
    struct cuda_driver cu;
    char why[CUDA_WHY_BYTES];
    void *library;
    int version = 0;
    kn_status status;

    if (!ki_cuda_driver_load(&cu, why))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: %s", toolkit->name, why);
    (void)cu.cuDriverGetVersion(&version);
    ki_cuda_driver_unload(&cu);
    status = ki_cuda_toolkit_load(toolkit, version / 1000, &library, calls, err);
    if (library)
        dlclose(library);
    return status;
}

// ---- NVRTC ----

// Queries an opened NVRTC.
static bool describe(struct cuda_nvrtc *nvrtc, const char *name, char why[CUDA_WHY_BYTES])
{
    const char *missing = bind(nvrtc->library, nvrtc, nvrtc_symbols, KI_COUNT(nvrtc_symbols));
    const char *call = "nvrtcVersion";
    nvrtcResult code;

    if (missing) {
        snprintf(why, CUDA_WHY_BYTES, "%s is too old: it has no %s", name, missing);
        return false;
    }
    code = nvrtc->nvrtcVersion(&nvrtc->major, &nvrtc->minor);
    if (code == NVRTC_SUCCESS) {
        call = "nvrtcGetNumSupportedArchs";
        code = nvrtc->nvrtcGetNumSupportedArchs(&nvrtc->arch_count);
    }
    if (code == NVRTC_SUCCESS && (nvrtc->arch_count < 0 || nvrtc->arch_count > CUDA_MAX_ARCHS)) {
        snprintf(why, CUDA_WHY_BYTES, "%s names %d architectures; at most %d are expected", name,
                 nvrtc->arch_count, CUDA_MAX_ARCHS);
        return false;
    }
    if (code == NVRTC_SUCCESS) {
        call = "nvrtcGetSupportedArchs";
        code = nvrtc->nvrtcGetSupportedArchs(nvrtc->archs);
    }
    if (code != NVRTC_SUCCESS)
        snprintf(why, CUDA_WHY_BYTES, "%s: %s: %s (%d)", name, call, nvrtc->nvrtcGetErrorString(code), code);
    return code == NVRTC_SUCCESS;
}

// Why none was found, in words: what is needed, and whether there is one that is too new.
static void explain_missing(int newest, char why[CUDA_WHY_BYTES])
{
    const char *wanted = NULL;

    for (size_t i = KI_COUNT(nvrtc_names); i-- > 0;) {
        if (nvrtc_names[i].major <= newest) {
            wanted = nvrtc_names[i].name;
            continue;
        }
        void *library = find_library(nvrtc_names[i].name, true);
        if (!library)
            continue;
        dlclose(library);
        snprintf(why, CUDA_WHY_BYTES,
                 "there is %s, but the driver is of CUDA %d and does not load what that compiles: install "
                 "%s, or a newer "
                 "driver",
                 nvrtc_names[i].name, newest, wanted ? wanted : "an NVRTC of the driver's version");
        return;
    }
    snprintf(why, CUDA_WHY_BYTES, "%s not found (looked in %s)", wanted ? wanted : "an NVRTC that old is",
             folders_searched());
}

bool ki_cuda_nvrtc_load(struct cuda_nvrtc *nvrtc, int newest, char why[CUDA_WHY_BYTES])
{
    bool described = false;

    why[0] = '\0';
    for (size_t i = 0; i < KI_COUNT(nvrtc_names); i++) {
        memset(nvrtc, 0, sizeof *nvrtc);
        if (nvrtc_names[i].major > newest || !(nvrtc->library = find_library(nvrtc_names[i].name, true)))
            continue;
        if (describe(nvrtc, nvrtc_names[i].name, why))
            return true;
        described = true;
        ki_cuda_nvrtc_unload(nvrtc);
    }
    if (!described)
        explain_missing(newest, why);
    return false;
}

void ki_cuda_nvrtc_unload(struct cuda_nvrtc *nvrtc)
{
    if (nvrtc->library)
        dlclose(nvrtc->library);
    memset(nvrtc, 0, sizeof *nvrtc);
}

int ki_cuda_nvrtc_arch(const struct cuda_nvrtc *nvrtc, int arch)
{
    int best = 0;

    for (int i = 0; i < nvrtc->arch_count; i++)
        if (nvrtc->archs[i] <= arch && nvrtc->archs[i] / 10 == arch / 10 && nvrtc->archs[i] > best)
            best = nvrtc->archs[i];
    return best;
}
